import classes from './check.module.css'

interface Props {
  label: string
  checked: boolean
  /** Some of several. */
  indeterminate?: boolean
  onChange: () => void
}

/** A checkbox for the rows of a table: the browser's own, since there are many of them. */
export const Check = ({ label, checked, indeterminate = false, onChange }: Props) => (
  <input
    ref={(input) => {
      if (input) input.indeterminate = indeterminate
    }}
    type="checkbox"
    className={classes.check}
    aria-label={label}
    checked={checked}
    onChange={onChange}
  />
)
