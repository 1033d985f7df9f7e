import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { download } from '../../ui/download.ts'
import { useChange } from '../changes.ts'
import type { ExplorerState } from './explorer-state.ts'

const FORMATS = [
  { format: 'csv', label: 'As CSV, for a spreadsheet' },
  { format: 'ndjson', label: 'As JSON, one event per line' },
] as const

/** Every event of the query, not only those loaded. */
export function ExportMenu({ state: { selection, error } }: { state: ExplorerState }) {
  const save = useChange({
    run: async (api, format: (typeof FORMATS)[number]['format']) => {
      const { data, response } = await api.insights.POST('/v1/events/export', {
        body: { ...selection, sort: 'DESC', format },
        parseAs: 'blob',
      })
      const [, name] =
        /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
      download(name ?? `events.${format}`, data as unknown as Blob)
    },
    touches: [],
    done: () => 'Exported the events',
  })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="sm"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={save.isPending}
          disabled={error !== null}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ format, label }) => (
          <Menu.Item key={format} onClick={() => save.mutate(format)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
