import { ActionIcon, Group, Input } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { To } from '../../link.tsx'
import { useRead } from '../../reads.ts'
import { Picker } from '../../resource/picker.tsx'
import { findUsers } from '../find.ts'
import { nameOf } from '../name.ts'
import { readUser, userKey } from '../user.ts'

interface Props {
  /** Id of a user; empty for none. */
  value: string
  readOnly: boolean
  onChange: (id: string) => void
  error?: ReactNode
}

function Manager({ value, readOnly, onChange, error }: Props) {
  const { data } = useRead(userKey(value), readUser(value))
  return (
    <Input.Wrapper label="Manager" size="sm" labelElement="div" error={error}>
      <Group gap="xs" mih={36}>
        <To to={`users/${value}`}>{data ? nameOf(data) : value}</To>
        {!readOnly && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Remove the manager"
            onClick={() => onChange('')}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
    </Input.Wrapper>
  )
}

/** The manager as a link, or a search for one. */
export function ManagerField(props: Props) {
  if (props.value !== '') return <Manager {...props} />
  if (props.readOnly) return null
  return (
    <Picker label="Manager" kind="users" find={findUsers} pick={({ id }) => props.onChange(id)} />
  )
}
