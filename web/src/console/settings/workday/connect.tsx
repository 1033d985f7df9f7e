import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Problem } from '../../../ui/problem.tsx'
import { Section } from '../../../ui/section.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { showAtField } from '../../show-at-field.ts'
import { checkAddress } from './address.tsx'
import { CredentialFields, type Credentials, checkUsername } from './credentials.tsx'
import { KEY, NAME } from './report.ts'

interface Values extends Credentials {
  reportUrl: string
}

function ConnectForm() {
  const form = useForm<Values>({
    initialValues: { reportUrl: '', username: '', password: '' },
    validate: { reportUrl: checkAddress, username: checkUsername },
  })
  const connect = useChange({
    run: (api, { reportUrl, ...basic }: Values) =>
      api.management.POST('/v2/workdays', { body: { name: NAME, reportUrl, auth: { basic } } }),
    touches: [KEY],
    done: () => 'Connected Workday',
    quiet: true,
  })
  const submit = form.onSubmit((values) =>
    connect.mutate(values, {
      onError: (error) => showAtField(form, error),
    }),
  )
  const misplaced = Object.keys(form.errors).length === 0 ? connect.error : null
  return (
    <form onSubmit={submit}>
      <Stack maw={640}>
        <TextInput
          label="Address of the report"
          description="The JSON address of a custom report that is enabled as a web service"
          placeholder="https://wd5-impl-services1.workday.com/ccx/service/customreport2/tenant/owner/report?format=json"
          required
          withAsterisk={false}
          maxLength={2000}
          {...form.getInputProps('reportUrl')}
        />
        <CredentialFields form={form} />
        <Problem error={misplaced} />
        <Group>
          <Button size="sm" type="submit" loading={connect.isPending}>
            Connect Workday
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Nothing is connected yet. */
export function Connect() {
  const may = useMay()
  const writable = may.write('directories') && may.write('users')
  return (
    <Stack maw={860}>
      <Section
        title="Workday"
        about="People who work for you come from a report of Workday: you choose whom, and each becomes a user."
      >
        {writable ? <ConnectForm /> : <Text size="sm">No Workday is connected.</Text>}
      </Section>
    </Stack>
  )
}
