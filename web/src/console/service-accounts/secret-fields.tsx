import { Group, Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { AUTH_TYPES, type AuthType, LIFETIMES, type Lifetime } from './account.ts'

export interface SecretValues {
  authType: AuthType
  lifetime: Lifetime
}

export const SECRET_DEFAULTS: SecretValues = { authType: 'API_KEY', lifetime: '90 Days' }

/** How a program proves who it is, and for how long. */
export const SecretFields = <T extends SecretValues>({ form }: { form: UseFormReturnType<T> }) => (
  <Group grow>
    <Select
      label="It signs in with"
      allowDeselect={false}
      data={Object.entries(AUTH_TYPES).map(([value, label]) => ({ value, label }))}
      {...form.getInputProps('authType')}
    />
    <Select
      label="Ends after"
      allowDeselect={false}
      data={LIFETIMES}
      {...form.getInputProps('lifetime')}
    />
  </Group>
)
