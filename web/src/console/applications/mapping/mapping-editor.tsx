import {
  ActionIcon,
  Autocomplete,
  Button,
  Checkbox,
  Group,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { Tag } from '../../../ui/tag.tsx'
import classes from './mapping.module.css'
import { expressionOf, type Mapping, mappingOf, type Row, rowsOf } from './rules.ts'

interface Props {
  mapping: Mapping
  /** Null while it cannot be read. */
  onChange: (mapping: Mapping | null) => void
  readOnly: boolean
  /** Such as "Attribute of the provider" and "From the user". */
  columns: [string, string]
  /** Fields that a rule can read. */
  suggestions: readonly string[]
}

function Rows({
  rows,
  set,
  readOnly,
  columns,
  suggestions,
}: Pick<Props, 'readOnly' | 'columns' | 'suggestions'> & {
  rows: Row[]
  set: (rows: Row[]) => void
}) {
  const change = (at: number, part: Partial<Row>) =>
    set(rows.map((row, nth) => (nth === at ? { ...row, ...part } : row)))
  return (
    <Stack gap={6}>
      <div className={classes.row}>
        {columns.map((column) => (
          <Text key={column} size="xs" c="dimmed">
            {column}
          </Text>
        ))}
      </div>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are edited
        <div key={at} className={classes.row}>
          <TextInput
            size="xs"
            aria-label={`${columns[0]} ${at + 1}`}
            readOnly={readOnly}
            value={row.target}
            onChange={(event) => change(at, { target: event.currentTarget.value })}
          />
          <Autocomplete
            size="xs"
            aria-label={`${columns[1]}: ${row.target || at + 1}`}
            error={expressionOf(row.text) ? undefined : 'Not readable as JSON'}
            readOnly={readOnly}
            data={[...suggestions]}
            limit={20}
            value={row.text}
            onChange={(text) => change(at, { text })}
          />
          <Group gap="xs" wrap="nowrap">
            <Checkbox
              size="xs"
              label="Required"
              aria-label={`${row.target || at + 1} is required`}
              disabled={readOnly}
              checked={row.rule.required === true}
              onChange={(event) =>
                change(at, { rule: { ...row.rule, required: event.currentTarget.checked } })
              }
            />
            {row.rule.when && <Tag tone="calm">Conditional</Tag>}
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove ${row.target || `rule ${at + 1}`}`}
                onClick={() => set(rows.filter((_, nth) => nth !== at))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        </div>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => set([...rows, { target: '', text: '', rule: {} }])}
          >
            Add rule
          </Button>
        </div>
      )}
    </Stack>
  )
}

function parsed(text: string): Mapping | null {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? (value as Mapping) : null
  } catch {
    return null
  }
}

/** From one record to another, as rows or as JSON. */
export function MappingEditor({ mapping, onChange, readOnly, columns, suggestions }: Props) {
  const [view, setView] = useState<'rows' | 'json'>('rows')
  const [rows, setRows] = useState(() => rowsOf(mapping))
  const [text, setText] = useState('')
  const show = (next: 'rows' | 'json') => {
    const current = view === 'rows' ? mappingOf(rows) : parsed(text)
    if (!current) return
    if (next === 'json') setText(JSON.stringify(current, null, 2))
    else setRows(rowsOf(current))
    setView(next)
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          A field such as <code>department</code>, a constant such as <code>"staff"</code>, or an
          expression in JSON.
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="How the mapping is shown"
          value={view}
          onChange={(value) => show(value as typeof view)}
          data={[
            { value: 'rows', label: 'Rows' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </Group>
      {view === 'rows' ? (
        <Rows
          rows={rows}
          set={(next) => {
            setRows(next)
            onChange(mappingOf(next))
          }}
          readOnly={readOnly}
          columns={columns}
          suggestions={suggestions}
        />
      ) : (
        <Textarea
          aria-label="The mapping as JSON"
          autosize
          minRows={12}
          maxRows={30}
          spellCheck={false}
          classNames={{ input: classes.json! }}
          error={parsed(text) ? undefined : 'Not readable as a list of rules'}
          readOnly={readOnly}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            onChange(parsed(event.currentTarget.value))
          }}
        />
      )}
    </Stack>
  )
}
