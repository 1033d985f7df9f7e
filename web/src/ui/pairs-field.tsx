import type { ComponentProps } from 'react'
import { RowsField } from './rows-field.tsx'

export interface Pair {
  name: string
  value: string
}

interface Props
  extends Omit<ComponentProps<typeof RowsField>, 'row' | 'columns' | 'value' | 'onChange'> {
  label: string
  /** Of the two columns. */
  columns: [string, string]
  /** What a row is; by default what the first column says. */
  row?: string
  value: Pair[]
  onChange: (pairs: Pair[]) => void
}

/** A list of names and values. */
export const PairsField = ({ columns: [name, value], row, onChange, ...rest }: Props) => (
  <RowsField
    {...rest}
    row={row ?? name.toLowerCase()}
    columns={[
      { name: 'name', label: name },
      { name: 'value', label: value },
    ]}
    value={rest.value.map((pair) => ({ ...pair }))}
    onChange={(rows) => onChange(rows as unknown as Pair[])}
  />
)
