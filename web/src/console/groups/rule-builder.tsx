import {
  ActionIcon,
  Button,
  Group,
  MultiSelect,
  Select,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconSearch, IconX } from '@tabler/icons-react'
import classes from './rule.module.css'
import { type Condition, type Operator, operatorsFor, type Rule } from './rule.ts'
import { ATTRIBUTE, fieldNamed, type RuleField } from './rule-fields.ts'
import { RuleValue } from './rule-value.tsx'

interface Props {
  fields: RuleField[]
  rule: Rule
  readOnly: boolean
  set: (rule: Rule) => void
}

const REMOVE = { variant: 'subtle', color: 'gray', size: 36 } as const

interface RowProps {
  fields: RuleField[]
  condition: Condition
  /** From 1. */
  number: number
  readOnly: boolean
  set: (condition: Condition) => void
  remove: () => void
}

function ConditionRow({ fields, condition, number, readOnly, set, remove }: RowProps) {
  const field = fieldNamed(fields, condition.field)
  const custom = condition.field.startsWith(ATTRIBUTE)
  const known = fields.some(({ name }) => name === condition.field)
  const options = [
    ...fields.map(({ name, label }) => ({ value: name, label })),
    { value: ATTRIBUTE, label: 'Custom attribute' },
    // A field of another client's rule.
    ...(known || custom || condition.field === ''
      ? []
      : [{ value: condition.field, label: condition.field }]),
  ]
  const choose = (name: string) => {
    const next = fieldNamed(fields, name)
    const fits = next.kind === field.kind && next.options === field.options
    set({
      field: name,
      operator: fits ? condition.operator : 'eq',
      values: fits ? condition.values : [],
    })
  }
  return (
    <li className={classes.condition}>
      <Text size="sm" c="dimmed" className={classes.word!}>
        {number === 1 ? 'where' : 'and'}
      </Text>
      <Select
        size="sm"
        w={200}
        aria-label={`Field of condition ${number}`}
        placeholder="Choose a field"
        searchable
        readOnly={readOnly}
        allowDeselect={false}
        data={options}
        value={custom ? ATTRIBUTE : condition.field || null}
        onChange={(name) => name !== null && choose(name)}
      />
      {custom && (
        <TextInput
          size="sm"
          w={140}
          aria-label={`Attribute of condition ${number}`}
          placeholder="Its name"
          readOnly={readOnly}
          value={condition.field.slice(ATTRIBUTE.length)}
          onChange={({ currentTarget: { value } }) =>
            set({ ...condition, field: `${ATTRIBUTE}${value}` })
          }
        />
      )}
      <Select
        size="sm"
        w={170}
        aria-label={`Comparison of condition ${number}`}
        readOnly={readOnly}
        allowDeselect={false}
        data={operatorsFor(field, condition.operator)}
        value={condition.operator}
        onChange={(operator) =>
          operator !== null && set({ ...condition, operator: operator as Operator })
        }
      />
      <RuleValue
        field={field}
        condition={condition}
        label={`Value of condition ${number}`}
        readOnly={readOnly}
        set={(values) => set({ ...condition, values })}
      />
      {!readOnly && (
        <ActionIcon {...REMOVE} aria-label={`Remove condition ${number}`} onClick={remove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </li>
  )
}

function SearchRow({
  fields,
  search,
  readOnly,
  set,
}: Omit<Props, 'rule' | 'set'> & {
  search: NonNullable<Rule['search']>
  set: (search: Rule['search']) => void
}) {
  return (
    <li className={classes.condition}>
      <Text size="sm" c="dimmed" className={classes.word!}>
        and
      </Text>
      <MultiSelect
        size="sm"
        flex={1}
        miw={200}
        aria-label="Fields to search"
        placeholder={search.fields.length === 0 ? 'Name and addresses' : ''}
        searchable
        readOnly={readOnly}
        data={fields
          .filter(({ kind }) => kind === 'text')
          .map(({ name, label }) => ({ value: name, label }))}
        value={search.fields}
        onChange={(names) => set({ ...search, fields: names })}
      />
      <Text size="sm">contains one of</Text>
      <TagsInput
        size="sm"
        flex={1}
        miw={200}
        aria-label="Words to find"
        placeholder={search.terms.length === 0 ? 'Type a word and press Enter' : ''}
        acceptValueOnBlur
        readOnly={readOnly}
        value={search.terms}
        onChange={(terms) => set({ ...search, terms })}
      />
      {!readOnly && (
        <ActionIcon {...REMOVE} aria-label="Remove the search" onClick={() => set(null)}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </li>
  )
}

/** The rule of a group: a list of conditions that all must hold. */
export function RuleBuilder({ fields, rule, readOnly, set }: Props) {
  const { conditions, search } = rule
  const setAt = (at: number, next: Condition[]) =>
    set({ ...rule, conditions: conditions.toSpliced(at, 1, ...next) })
  return (
    <div>
      <ul className={classes.conditions} aria-label="Conditions">
        {conditions.map((condition, at) => (
          <ConditionRow
            // Conditions have no identity of their own.
            // biome-ignore lint/suspicious/noArrayIndexKey: the fields show the given values
            key={at}
            fields={fields}
            condition={condition}
            number={at + 1}
            readOnly={readOnly}
            set={(next) => setAt(at, [next])}
            remove={() => setAt(at, [])}
          />
        ))}
        {search && (
          <SearchRow
            fields={fields}
            search={search}
            readOnly={readOnly}
            set={(next) => set({ ...rule, search: next })}
          />
        )}
      </ul>
      {!readOnly && (
        <Group gap="xs" mt={conditions.length > 0 || search ? 'sm' : 0}>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setAt(conditions.length, [{ field: '', operator: 'eq', values: [] }])}
          >
            Add condition
          </Button>
          {!search && (
            <Button
              variant="subtle"
              size="xs"
              leftSection={<IconSearch size={14} aria-hidden />}
              onClick={() => set({ ...rule, search: { terms: [], fields: [] } })}
            >
              Add search
            </Button>
          )}
        </Group>
      )}
    </div>
  )
}
