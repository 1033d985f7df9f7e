import { NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useMay } from '../organization.ts'
import type { Values } from './actions.ts'

interface Props {
  /** On the button. */
  action: string
  initial: Required<Values>
  error: Error | null
  saving: boolean
  save: (values: Values) => void
  close: () => void
}

/** The name of an organization and how many users it may have. */
export function OrganizationForm({ action, initial, error, saving, save, close }: Props) {
  const limits = useMay().write('organizations.billing')
  const form = useForm<Required<Values>>({ initialValues: initial })
  const submit = form.onSubmit(({ name, maxSystemUsers }) =>
    save({ name, ...(maxSystemUsers !== initial.maxSystemUsers && { maxSystemUsers }) }),
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={255}
          data-autofocus
          {...form.getInputProps('name')}
        />
        {limits && (
          <NumberInput
            label="Users at most"
            description="0: as many as there are"
            min={0}
            allowDecimal={false}
            {...form.getInputProps('maxSystemUsers')}
          />
        )}
        <Problem error={error} />
        <FormActions close={close} saving={saving}>
          {action}
        </FormActions>
      </Stack>
    </form>
  )
}
