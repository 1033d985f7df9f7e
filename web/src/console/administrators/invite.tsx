import { Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { showAtField } from '../show-at-field.ts'
import { RoleField } from './role-field.tsx'

/** Read Only: the least that is useful. */
const DEFAULT_ROLE = '000000000000000000000005'

interface Values {
  email: string
  firstname: string
  lastname: string
  role: string
  enableMultiFactor: boolean
  /** Of a provider: may enter all its organizations that the inviting one may enter. */
  everywhere: boolean
}

export function Invite({ close }: { close: () => void }) {
  const go = useGo()
  const provider_id = useOrganization().session.providerId
  const form = useForm<Values>({
    initialValues: {
      email: '',
      firstname: '',
      lastname: '',
      role: DEFAULT_ROLE,
      enableMultiFactor: true,
      everywhere: true,
    },
  })
  const invite = useChange({
    run: async (api, { everywhere, ...body }: Values): Promise<{ id: string }> =>
      provider_id === null || everywhere
        ? dataOf(await api.management.POST('/users', { body }))
        : dataOf(
            await api.management.POST('/v2/providers/{provider_id}/administrators', {
              params: { path: { provider_id } },
              body: { ...body, bindNoOrgs: true },
            }),
          ),
    touches: [['administrators']],
    done: ({ email }) => `Invited ${email}`,
    after: ({ id }) => {
      close()
      void go(`administrators/${id}`)
    },
    quiet: true,
  })
  const submit = form.onSubmit((values) =>
    invite.mutate(values, {
      onError: (error) => showAtField(form, error),
    }),
  )
  const misplaced = Object.keys(form.errors).length === 0 ? invite.error : null
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          required
          data-autofocus
          description="A link to choose a password is sent there"
          {...form.getInputProps('email')}
        />
        <Group grow>
          <TextInput label="First name" {...form.getInputProps('firstname')} />
          <TextInput label="Last name" {...form.getInputProps('lastname')} />
        </Group>
        <RoleField size="md" {...form.getInputProps('role')} />
        <Checkbox
          label="Require a second factor"
          {...form.getInputProps('enableMultiFactor', { type: 'checkbox' })}
        />
        {provider_id !== null && (
          <Checkbox
            label="May enter every organization that you may enter"
            description="Without it none, until you choose them"
            {...form.getInputProps('everywhere', { type: 'checkbox' })}
          />
        )}
        <Problem error={misplaced} />
        <FormActions close={close} saving={invite.isPending}>
          Invite administrator
        </FormActions>
      </Stack>
    </form>
  )
}
