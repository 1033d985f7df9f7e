import { Group, MultiSelect, NumberInput, Select, TagsInput, Text, TextInput } from '@mantine/core'
import { instantOf, localOf } from '../../ui/time.ts'
import { type Condition, OPERATORS } from './rule.ts'
import type { RuleField } from './rule-fields.ts'

interface OneProps {
  field: RuleField
  label: string
  value: string
  readOnly: boolean
  set: (value: string) => void
}

const FLAGS = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

function One({ field, label, value, readOnly, set }: OneProps) {
  const common = { size: 'sm', 'aria-label': label, readOnly, flex: 1, miw: 140 } as const
  switch (field.kind) {
    case 'choice':
    case 'flag':
      return (
        <Select
          {...common}
          allowDeselect={false}
          placeholder="Choose"
          data={field.options ?? FLAGS}
          value={value || null}
          onChange={(next) => set(next ?? '')}
        />
      )
    case 'number':
      return <NumberInput {...common} value={value} onChange={(next) => set(String(next))} />
    case 'date':
      return (
        <TextInput
          {...common}
          type="datetime-local"
          value={value && localOf(Date.parse(value))}
          onChange={({ currentTarget }) =>
            set(currentTarget.value && instantOf(currentTarget.value))
          }
        />
      )
    default:
      return (
        <TextInput
          {...common}
          placeholder="Value"
          value={value}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        />
      )
  }
}

interface Props {
  field: RuleField
  condition: Condition
  /** For screen readers. */
  label: string
  readOnly: boolean
  set: (values: string[]) => void
}

/** What a field is compared with: nothing, one value, two, or a list. */
export function RuleValue({ field, condition: { operator, values }, label, readOnly, set }: Props) {
  const wanted = OPERATORS[operator].values
  if (wanted === 0) return null
  if (wanted === 'many') {
    const common = { size: 'sm', 'aria-label': label, readOnly, flex: 1, miw: 200 } as const
    return field.options ? (
      <MultiSelect {...common} data={field.options} value={values} onChange={set} />
    ) : (
      <TagsInput
        {...common}
        placeholder={values.length === 0 ? 'Type a value and press Enter' : ''}
        acceptValueOnBlur
        value={values}
        onChange={set}
      />
    )
  }
  const [first = '', second = ''] = values
  if (wanted === 1)
    return (
      <One
        field={field}
        label={label}
        value={first}
        readOnly={readOnly}
        set={(value) => set([value])}
      />
    )
  return (
    <Group gap="xs" flex={1}>
      <One
        field={field}
        label={`${label}, from`}
        value={first}
        readOnly={readOnly}
        set={(value) => set([value, second])}
      />
      <Text size="sm">and</Text>
      <One
        field={field}
        label={`${label}, to`}
        value={second}
        readOnly={readOnly}
        set={(value) => set([first, value])}
      />
    </Group>
  )
}
