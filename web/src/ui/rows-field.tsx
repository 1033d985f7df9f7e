import { ActionIcon, Button, Group, Input, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'

type Row = Record<string, string>

interface Props {
  label?: string
  description?: string
  /** What a row is, for the button that adds one and for screen readers. */
  row: string
  columns: { name: string; label: string }[]
  value: Row[]
  onChange: (rows: Row[]) => void
  readOnly?: boolean
  error?: ReactNode
}

const MAX_COLUMNS = 4

/** A list in a form: a row each, with fields of text. */
export function RowsField(props: Props) {
  const { label, description, row, columns, value, onChange, readOnly = false, error } = props
  const change = (at: number, part: Row) =>
    onChange(value.map((each, nth) => (nth === at ? { ...each, ...part } : each)))
  const blank = Object.fromEntries(columns.map(({ name }) => [name, '']))
  return (
    <Input.Wrapper
      size="sm"
      labelElement="div"
      {...(label && { label })}
      {...(description && { description })}
      error={error}
    >
      <Stack gap={6} mt={label || description ? 6 : 0}>
        {value.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are edited
          <Group key={at} wrap="nowrap" gap="xs" align="flex-start">
            <SimpleGrid
              flex={1}
              spacing="xs"
              verticalSpacing={6}
              cols={{ base: 1, sm: Math.min(columns.length, MAX_COLUMNS) }}
            >
              {columns.map((column) => (
                <TextInput
                  key={column.name}
                  size="sm"
                  aria-label={`${column.label} of ${row} ${at + 1}`}
                  placeholder={column.label}
                  readOnly={readOnly}
                  value={each[column.name] ?? ''}
                  onChange={(event) => change(at, { [column.name]: event.currentTarget.value })}
                />
              ))}
            </SimpleGrid>
            {!readOnly && (
              <ActionIcon
                mt={4}
                variant="subtle"
                color="gray"
                aria-label={`Remove ${row} ${at + 1}`}
                onClick={() => onChange(value.filter((_, nth) => nth !== at))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!readOnly && (
          <div>
            <Button
              variant="default"
              size="compact-xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onChange([...value, blank])}
            >
              Add {row}
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  )
}
