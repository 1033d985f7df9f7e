import { ActionIcon, Progress, Skeleton, Text, TextInput, UnstyledButton } from '@mantine/core'
import {
  IconChevronDown,
  IconChevronRight,
  IconColumnInsertRight,
  IconX,
} from '@tabler/icons-react'
import { useState } from 'react'
import { number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import classes from './explorer.module.css'
import type { ExplorerState } from './explorer-state.ts'
import { type FieldInfo, shownValue } from './fields.ts'
import { useTopValues } from './reads.ts'
import { ValueButtons } from './value-buttons.tsx'

const MAX_SHOWN = 10
/** The ones that most people look for come first; all at once take longer to draw than the events. */
const MAX_FIELDS = 30

function TopValues({ state, field }: { state: ExplorerState; field: FieldInfo }) {
  const { data, error } = useTopValues(field.name, state.selection)
  const [all, setAll] = useState(false)
  if (error) return <Problem error={error} />
  if (!data) return <Skeleton h={80} m="xs" />
  if (data.length === 0)
    return (
      <Text size="xs" c="dimmed" p="xs">
        No event in this time has it.
      </Text>
    )
  const total = data.reduce((sum, { count }) => sum + count, 0)
  const shown = all ? data.slice(0, 10 * MAX_SHOWN) : data.slice(0, MAX_SHOWN)
  return (
    <ul className={classes.values} aria-label={`Values of ${field.name}`}>
      {shown.map(({ key, count }) => (
        <li key={key}>
          <div className={classes.value}>
            <UnstyledButton
              className={classes.valueText}
              title={key}
              onClick={() =>
                state.narrow({ type: 'leaf', field: field.name, operator: 'eq', value: key })
              }
            >
              {shownValue(field.name, key)}
            </UnstyledButton>
            <span className={classes.count}>{number.format(count)}</span>
            <ValueButtons state={state} field={field.name} value={key} />
          </div>
          <Progress size={3} value={(100 * count) / total} aria-hidden />
        </li>
      ))}
      {data.length > MAX_SHOWN && (
        <li>
          <UnstyledButton fz="xs" className={classes.more} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show more of ${number.format(data.length)} values`}
          </UnstyledButton>
        </li>
      )}
    </ul>
  )
}

/** The fields of the events; an opened one shows its most frequent values. */
export function FieldList({ state, fields }: { state: ExplorerState; fields: FieldInfo[] }) {
  const [text, setText] = useState('')
  const [all, setAll] = useState(false)
  const found = fields.filter(({ name }) => name.includes(text.trim().toLowerCase()))
  const shown = all ? found : found.slice(0, MAX_FIELDS)
  const opened = fields.find(({ name }) => name === state.field)
  const inOrder = opened ? [opened, ...shown.filter((field) => field !== opened)] : shown
  return (
    <aside className={classes.fields} aria-label="Fields">
      <TextInput
        size="xs"
        aria-label="Search fields"
        placeholder="Search fields"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <ul className={classes.fieldNames} tabIndex={-1}>
        {inOrder.map((field) => {
          const open = field.name === state.field
          const column = state.columns.includes(field.name)
          return (
            <li key={field.name}>
              <div className={classes.field}>
                <UnstyledButton
                  className={classes.fieldName}
                  aria-expanded={open}
                  onClick={() => state.set({ field: open ? undefined : field.name }, true)}
                >
                  {open ? (
                    <IconChevronDown size={14} aria-hidden />
                  ) : (
                    <IconChevronRight size={14} aria-hidden />
                  )}
                  {field.name}
                </UnstyledButton>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`${column ? 'Remove' : 'Add'} the column ${field.name}`}
                  onClick={() =>
                    state.setColumns(
                      column
                        ? state.columns.filter((name) => name !== field.name)
                        : [...state.columns, field.name],
                    )
                  }
                >
                  {column ? (
                    <IconX size={14} aria-hidden />
                  ) : (
                    <IconColumnInsertRight size={14} aria-hidden />
                  )}
                </ActionIcon>
              </div>
              {open && <TopValues state={state} field={field} />}
            </li>
          )
        })}
        {found.length > MAX_FIELDS && (
          <li>
            <UnstyledButton
              className={`${classes.fieldName} ${classes.more}`}
              onClick={() => setAll(!all)}
            >
              {all ? 'Show fewer' : `Show all ${found.length} fields`}
            </UnstyledButton>
          </li>
        )}
      </ul>
    </aside>
  )
}
