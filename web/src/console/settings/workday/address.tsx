import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Problem } from '../../../ui/problem.tsx'
import { SaveBar } from '../../../ui/save-bar.tsx'
import { useChange } from '../../changes.ts'
import { showAtField } from '../../show-at-field.ts'
import { KEY, type Workday } from './report.ts'

interface Values {
  reportUrl: string
}

export const checkAddress = (address: string) =>
  /^https?:\/\//.test(address) ? null : 'It begins with https:// or http://'

/** Changes where the report is read from. */
export function AddressForm({ workday }: { workday: Workday }) {
  const form = useForm<Values>({
    initialValues: { reportUrl: workday.reportUrl ?? '' },
    validate: { reportUrl: checkAddress },
  })
  const save = useChange({
    run: (api, values: Values) =>
      api.management.PUT('/v2/workdays/{id}', {
        params: { path: { id: workday.id } },
        body: { ...values },
      }),
    touches: [KEY],
    done: () => 'Saved the address',
    after: (_, values) => form.resetDirty(values),
    quiet: true,
  })
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onError: (error) => showAtField(form, error),
    }),
  )
  const misplaced = Object.keys(form.errors).length === 0 ? save.error : null
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          size="sm"
          label="Address of the report"
          description="Another host needs the credentials again"
          required
          withAsterisk={false}
          maxLength={2000}
          {...form.getInputProps('reportUrl')}
        />
        <Problem error={misplaced} />
        {form.isDirty() && (
          <SaveBar label="Save address" dirty saving={save.isPending} discard={form.reset} />
        )}
      </Stack>
    </form>
  )
}
