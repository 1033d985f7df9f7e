import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { RoleField } from '../administrators/role-field.tsx'
import { useChange } from '../changes.ts'
import { secretOf, wanted } from './account.ts'
import { SECRET_DEFAULTS, SecretFields, type SecretValues } from './secret-fields.tsx'

interface Values extends SecretValues {
  name: string
  roleId: string
}

export function CreateAccount({ close }: { close: () => void }) {
  const form = useForm<Values>({
    initialValues: { name: '', roleId: '000000000000000000000005', ...SECRET_DEFAULTS },
  })
  const create = useChange({
    run: async (api, { name, roleId, authType, lifetime }: Values) =>
      dataOf(
        await api.management.POST('/v2/service-accounts', {
          body: { name, roleId, authConfig: wanted(authType, lifetime) },
        }),
      ).serviceAccount,
    touches: [['service-accounts']],
    quiet: true,
  })
  const [made] = create.data?.authConfigList ?? []
  if (made) return <ShownOnce what="The secret" secret={secretOf(made)} done={close} />
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <RoleField size="md" {...form.getInputProps('roleId')} />
        <SecretFields form={form} />
        <Problem error={create.error} />
        <FormActions close={close} saving={create.isPending}>
          Add service account
        </FormActions>
      </Stack>
    </form>
  )
}
