import { Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import type { components } from '../../../../client/index.ts'

export type Auth = components['schemas']['ConnectionAuth'] | { type: 'none' }
type Kind = Auth['type']

const KINDS: Record<Kind, string> = {
  bearer: 'Bearer token',
  basic: 'User name and password',
  header: 'A header of its own',
  oauth: 'OAuth client credentials',
  none: 'None',
}

/** The members of each kind; the last one is the secret. */
const MEMBERS: Record<Kind, { name: string; label: string }[]> = {
  bearer: [{ name: 'token', label: 'Token' }],
  basic: [
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password' },
  ],
  header: [
    { name: 'name', label: 'Header' },
    { name: 'value', label: 'Value' },
  ],
  oauth: [
    { name: 'tokenUrl', label: 'Token URL' },
    { name: 'clientId', label: 'Client id' },
    { name: 'scope', label: 'Scope' },
    { name: 'clientSecret', label: 'Client secret' },
  ],
  none: [],
}

interface Props {
  value: Auth
  onChange: (value: Auth) => void
  kinds: Kind[]
  /** The secret of this kind is stored already. */
  stored: Kind | undefined
  readOnly: boolean
}

/** How we prove to another system who we are. */
export function AuthField({ value, onChange, kinds, stored, readOnly }: Props) {
  const members = MEMBERS[value.type]
  const current = value as Record<string, string>
  return (
    <Stack gap="sm">
      <Select
        size="sm"
        label="Authentication"
        allowDeselect={false}
        readOnly={readOnly}
        data={kinds.map((kind) => ({ value: kind, label: KINDS[kind] }))}
        value={value.type}
        onChange={(type) => onChange({ type } as Auth)}
      />
      <Group grow align="flex-start">
        {members.map(({ name, label }, at) => {
          const secret = at === members.length - 1
          const Field = secret ? PasswordInput : TextInput
          return (
            <Field
              key={name}
              size="sm"
              label={label}
              autoComplete="off"
              required={name !== 'scope' && !(secret && stored === value.type)}
              placeholder={secret && stored === value.type ? 'As stored' : ''}
              readOnly={readOnly}
              value={current[name] ?? ''}
              onChange={(event) => {
                const { [name]: _, ...others } = current
                const text = event.currentTarget.value
                onChange((text === '' ? others : { ...others, [name]: text }) as Auth)
              }}
            />
          )
        })}
      </Group>
    </Stack>
  )
}
