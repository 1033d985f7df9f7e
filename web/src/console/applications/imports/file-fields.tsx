import { Button, FileButton, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { When } from '../../../ui/when.tsx'
import { FORMATS, formatOf, formatted } from './formats.ts'
import type { Config, FileSource } from './source.ts'

interface Props {
  source: FileSource
  set: (part: object) => void
  /** Chosen, and not uploaded yet. */
  file: File | null
  setFile: (file: File) => void
  known: Config['file']
}

/** A source that is uploaded. */
export function FileFields({ source, set, file, setFile, known }: Props) {
  return (
    <Stack gap="sm">
      <Group>
        <FileButton
          accept=".csv,.json,.jsonl,.ndjson,.txt"
          onChange={(chosen) => {
            if (!chosen) return
            setFile(chosen)
            set(formatted(formatOf(chosen.name)))
          }}
        >
          {(props) => (
            <Button
              {...props}
              size="sm"
              variant="default"
              leftSection={<IconUpload size={16} aria-hidden />}
            >
              Choose file
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" role="status" component="div">
          {file ? (
            file.name
          ) : known ? (
            <>
              {known.name}, uploaded <When time={known.created} />
            </>
          ) : (
            'CSV, JSON or JSON Lines, up to 32 MiB'
          )}
        </Text>
      </Group>
      <Group grow align="flex-start">
        <Select
          size="sm"
          label="Format"
          allowDeselect={false}
          data={FORMATS}
          value={source.format}
          onChange={(format) => set(formatted(format))}
        />
        {source.format === 'json' && (
          <TextInput
            size="sm"
            label="Path of the list"
            placeholder="data.items"
            value={source.recordPath ?? ''}
            onChange={(event) => set({ recordPath: event.currentTarget.value || undefined })}
          />
        )}
      </Group>
    </Stack>
  )
}
