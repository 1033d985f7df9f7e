import { ActionIcon, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { Section } from './section.tsx'

type Row = Record<string, unknown>

/** The part of a form of Mantine that it needs, whatever the other values are. */
interface RowsForm {
  getInputProps: (path: string) => object
  insertListItem: (path: string, row: never) => void
  removeListItem: (path: string, at: number) => void
}

interface Props {
  title: string
  /** Shown while there are none. */
  empty: string
  /** One of them, such as "attribute". */
  one: string
  /** Of the list, in the values of the form. */
  path: string
  columns: { name: string; label: string }[]
  form: RowsForm
  rows: Row[]
  readOnly: boolean
}

const MAX_COLUMNS = 4

/** A list in a form: a row each, with fields of text. */
export function RowsField({ title, empty, one, path, columns, form, rows, readOnly }: Props) {
  const blank = Object.fromEntries(columns.map(({ name }) => [name, '']))
  return (
    <Section title={title}>
      <Stack gap="xs">
        {rows.length === 0 && (
          <Text size="sm" c="dimmed">
            {empty}
          </Text>
        )}
        {rows.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are edited
          <Group key={at} wrap="nowrap" align="flex-start">
            <SimpleGrid cols={{ base: 1, sm: Math.min(columns.length, MAX_COLUMNS) }} flex={1}>
              {columns.map(({ name, label }) => (
                <TextInput
                  key={name}
                  size="sm"
                  aria-label={`${label} of ${one} ${at + 1}`}
                  placeholder={label}
                  readOnly={readOnly}
                  {...form.getInputProps(`${path}.${at}.${name}`)}
                />
              ))}
            </SimpleGrid>
            {!readOnly && (
              <ActionIcon
                mt={4}
                variant="subtle"
                color="gray"
                aria-label={`Remove ${one} ${at + 1}`}
                onClick={() => form.removeListItem(path, at)}
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
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => form.insertListItem(path, blank as never)}
            >
              Add {one}
            </Button>
          </div>
        )}
      </Stack>
    </Section>
  )
}
