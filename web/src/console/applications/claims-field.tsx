import { Select, Stack, Switch, TextInput } from '@mantine/core'
import { PairsField } from '../../ui/pairs-field.tsx'
import type { Values } from './settings.ts'

interface Mapping {
  methods: string[]
  authnContext: string
}

interface Props {
  value: Values
  onChange: (value: Values) => void
  readOnly: boolean
  error: string | undefined
}

/** What assertions say about how the user signed in. */
export function ClaimsField({ value, onChange, readOnly, error }: Props) {
  const set = (part: Values) => onChange({ ...value, ...part })
  const mappings = (value.authnContextMappings ?? []) as Mapping[]
  return (
    <Stack gap="sm">
      <Switch
        size="sm"
        label="Send the methods of the sign-in (amr)"
        disabled={readOnly}
        checked={value.sendAmrClaim === true}
        onChange={(event) => set({ sendAmrClaim: event.currentTarget.checked })}
      />
      <Select
        size="sm"
        label="Authentication context"
        allowDeselect={false}
        readOnly={readOnly}
        error={error}
        data={[
          { value: 'single', label: 'Always the same' },
          { value: 'mapping', label: 'By the methods of the sign-in' },
        ]}
        value={String(value.authnContextMode)}
        onChange={(mode) => set({ authnContextMode: mode })}
      />
      {value.authnContextMode === 'mapping' ? (
        <PairsField
          label="Contexts"
          description="The first whose methods were all used counts"
          columns={['Methods', 'Context']}
          readOnly={readOnly}
          value={mappings.map(({ methods, authnContext }) => ({
            name: methods.join(' '),
            value: authnContext,
          }))}
          onChange={(pairs) =>
            set({
              authnContextMappings: pairs.map(({ name, value }) => ({
                methods: name.split(/[\s,]+/),
                authnContext: value,
              })),
            })
          }
        />
      ) : (
        <TextInput
          size="sm"
          label="Context"
          readOnly={readOnly}
          value={String(value.singleAuthnContextValue ?? '')}
          onChange={(event) => set({ singleAuthnContextValue: event.currentTarget.value })}
        />
      )}
    </Stack>
  )
}
