import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../reads.ts'
import { useNames } from '../resource/names.ts'
import { findUsers } from '../users/find.ts'
import { ROOT } from './command.ts'

interface Props {
  value: string
  readOnly: boolean
  onChange: (id: string) => void
}

/** Root, or a user of the directory with an account on the device. */
export function RunAs({ value, readOnly, onChange }: Props) {
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text, 150)
  const { data = [] } = useRead(['users', 'picker', settled], (api) => findUsers(api, settled), {
    placeholderData: (previous) => previous,
  })
  const known = value !== '' && value !== ROOT
  const name = useNames('user', known ? [value] : [])
  const choices = [
    { value: ROOT, label: 'root' },
    ...(known ? [{ value, label: name(value) }] : []),
    ...data.filter(({ id }) => id !== value).map((user) => ({ value: user.id, label: user.name })),
  ]
  return (
    <Select
      label="Run as"
      description="Users need an account on the device"
      readOnly={readOnly}
      searchable
      allowDeselect={false}
      data={choices}
      value={value || ROOT}
      onSearchChange={setText}
      // The server has searched already.
      filter={({ options }) => options}
      onChange={(id) => id && onChange(id)}
    />
  )
}
