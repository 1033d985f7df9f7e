import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useAddress } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { startWork } from '../tray/tray.ts'
import type { ExplorerState } from './explorer-state.ts'

const FORMATS = [
  { format: 'csv', label: 'As CSV, for a spreadsheet' },
  { format: 'ndjson', label: 'As JSON, one event per line' },
] as const

/** Every event of the query, not only those loaded. */
export function ExportMenu({ state: { selection, error } }: { state: ExplorerState }) {
  const { id: organization } = useOrganization()
  const address = useAddress()
  const start = (format: string) =>
    startWork(organization, {
      kind: 'export-events',
      input: { selection, format },
      title: `Export events as ${format.toUpperCase()}`,
      link: 'insights',
      search: address,
      total: 0,
    })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="sm"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={error !== null}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ format, label }) => (
          <Menu.Item key={format} onClick={() => start(format)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
