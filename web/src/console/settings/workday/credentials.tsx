import { PasswordInput, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { FormActions } from '../../../ui/form-actions.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useChange } from '../../changes.ts'
import { KEY, type Workday } from './report.ts'

export interface Credentials {
  username: string
  password: string
}

export const checkUsername = (username: string) =>
  username.includes(':') ? 'A user name cannot have a colon' : null

/** Forms with more fields have these, too. */
export function CredentialFields<T extends Credentials>({ form }: { form: UseFormReturnType<T> }) {
  return (
    <>
      <TextInput
        label="User name"
        description="Of an integration system user who may run the report"
        required
        withAsterisk={false}
        autoComplete="off"
        maxLength={1000}
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label="Password"
        required
        withAsterisk={false}
        autoComplete="off"
        maxLength={1000}
        {...form.getInputProps('password')}
      />
    </>
  )
}

interface Props {
  workday: Workday
  close: () => void
}

export function ChangeCredentials({ workday, close }: Props) {
  const form = useForm<Credentials>({
    initialValues: { username: '', password: '' },
    validate: { username: checkUsername },
  })
  const save = useChange({
    run: (api, basic: Credentials) =>
      api.management.POST('/v2/workdays/{workday_id}/auth', {
        params: { path: { workday_id: workday.id } },
        body: { auth: { basic: { ...basic } } },
      }),
    touches: [KEY],
    done: () => 'Saved the credentials',
    after: close,
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        <CredentialFields form={form} />
        <Problem error={save.error} />
        <FormActions close={close} saving={save.isPending}>
          Save credentials
        </FormActions>
      </Stack>
    </form>
  )
}
