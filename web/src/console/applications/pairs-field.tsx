import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'

interface Pair {
  name: string
  value: string
}

interface Props {
  label: string
  description?: string
  /** Of the two columns. */
  columns: [string, string]
  value: Pair[]
  onChange: (pairs: Pair[]) => void
  readOnly?: boolean
  error?: string | undefined
}

/** A list of names and values. */
export function PairsField({
  label,
  description,
  columns,
  value,
  onChange,
  readOnly,
  error,
}: Props) {
  const change = (at: number, part: Partial<Pair>) =>
    onChange(value.map((pair, nth) => (nth === at ? { ...pair, ...part } : pair)))
  return (
    <Input.Wrapper
      size="sm"
      label={label}
      labelElement="div"
      {...(description && { description })}
      error={error}
    >
      <Stack gap={6} mt={6}>
        {value.map((pair, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are edited
          <Group key={at} wrap="nowrap" gap="xs">
            {columns.map((column, nth) => {
              const part = nth === 0 ? 'name' : 'value'
              return (
                <TextInput
                  key={column}
                  flex={1}
                  size="xs"
                  aria-label={`${column} of ${label.toLowerCase()} ${at + 1}`}
                  placeholder={column}
                  readOnly={readOnly ?? false}
                  value={pair[part]}
                  onChange={(event) => change(at, { [part]: event.currentTarget.value })}
                />
              )
            })}
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove ${pair.name || `row ${at + 1}`}`}
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
              onClick={() => onChange([...value, { name: '', value: '' }])}
            >
              Add {columns[0].toLowerCase()}
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  )
}
