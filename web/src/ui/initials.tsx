import classes from './initials.module.css'

interface Props {
  name: string
  /** In rem. */
  size: number
  /** For people; things have corners. */
  round?: boolean
  /** Instead of the one derived from the name. */
  color?: string | undefined
}

const initials = (name: string): string =>
  name
    .split(/[\s.-]+/)
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? '')
    .join('')

/** The same for the same name, everywhere; dark enough for white letters. */
function derived(name: string): string {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)!) % 360
  return `oklch(0.45 0.11 ${hash})`
}

/** Stands for a picture, beside the name. */
export const Initials = ({ name, size, round, color = derived(name) }: Props) => (
  <span
    className={classes.initials}
    style={{
      width: `${size}rem`,
      height: `${size}rem`,
      borderRadius: round ? '50%' : `${size / 4}rem`,
      background: color,
      fontSize: `${size * 0.38}rem`,
    }}
    aria-hidden
  >
    {initials(name)}
  </span>
)
