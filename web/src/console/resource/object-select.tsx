import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import type { Api } from '../../api/organization.ts'
import { useRead } from '../reads.ts'
import { useNames } from './names.ts'

interface Choice {
  value: string
  label: string
}

interface Props {
  label: string
  description: string
  type: string
  /** Of the cached answers. */
  kind: string
  find: (api: Api, text: string) => Promise<{ id: string; name: string }[]>
  value: string | null
  onChange: (id: string | null) => void
  readOnly: boolean
  /** Above those that are found. */
  fixed?: Choice[]
  /** There may be none. */
  clearable?: boolean
  error?: ReactNode
}

/** One object of a type, found by name. */
export function ObjectSelect({
  type,
  kind,
  find,
  value,
  fixed = [],
  clearable = false,
  ...input
}: Props) {
  const [text, setText] = useState('')
  const known = value !== null && !fixed.some((choice) => choice.value === value)
  const name = useNames(type, known ? [value] : [])
  const chosen = known ? [{ value, label: name(value) }] : []
  // What is chosen stands in the field, and is not what is looked for.
  const [wanted] = useDebouncedValue(
    [...fixed, ...chosen].some(({ label }) => label === text) ? '' : text,
    150,
  )
  const { data = [] } = useRead([kind, 'picker', wanted], (api) => find(api, wanted), {
    placeholderData: (previous) => previous,
  })
  const found = data
    .filter(({ id }) => id !== value)
    .map((object) => ({ value: object.id, label: object.name }))
  return (
    <Select
      size="sm"
      searchable
      clearable={clearable && !input.readOnly}
      clearButtonProps={{
        'aria-label': `Clear ${input.label.toLowerCase()}`,
        // Also for those without a mouse.
        'aria-hidden': false,
        tabIndex: 0,
      }}
      allowDeselect={false}
      data={[...fixed, ...chosen, ...found]}
      value={value}
      onSearchChange={setText}
      // The server has searched already.
      filter={({ options }) => options}
      nothingFoundMessage="Nothing found"
      {...input}
    />
  )
}
