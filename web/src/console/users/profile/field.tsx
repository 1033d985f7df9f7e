import { Checkbox, NumberInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { ZONE } from '../../../ui/time.ts'
import type { Field } from './fields.ts'
import type { Profile } from './values.ts'

interface Props {
  field: Field
  form: UseFormReturnType<Profile>
  readOnly: boolean
  /** Another directory owns it. */
  owner: string | undefined
}

/** One field of the profile, by its kind. */
export function ProfileField({ field, form, readOnly, owner }: Props) {
  const { kind, name, label } = field
  const fixed = readOnly || owner !== undefined
  const about = owner && `Managed by ${owner}`
  const common = { size: 'sm', label, ...(about && { description: about }) }
  switch (kind) {
    case 'flag':
      return (
        <Checkbox
          {...common}
          disabled={fixed}
          {...form.getInputProps(name, { type: 'checkbox' })}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...common}
          min={1}
          allowDecimal={false}
          hideControls
          readOnly={fixed}
          {...form.getInputProps(name)}
        />
      )
    case 'time':
      return (
        <TextInput
          size="sm"
          label={`${label}, in ${ZONE}`}
          description={field.about}
          type="datetime-local"
          readOnly={fixed}
          {...form.getInputProps(name)}
        />
      )
    default:
      return <TextInput {...common} type={kind} readOnly={fixed} {...form.getInputProps(name)} />
  }
}
