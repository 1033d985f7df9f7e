import { Button } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { type Api, dataOf, pageOfV1 } from '../../api/organization.ts'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'

/** As `gatehouse import` calls it: both have one history. */
const LABEL = 'File import'

/** Imports belong to an application; this one is there for files alone, and no user sees it. */
async function findOrCreate(api: Api, organization: string): Promise<string> {
  const { rows } = pageOfV1(
    await api.management.GET('/applications', {
      params: { query: { filter: [`displayLabel:$eq:${LABEL}`, 'name:$eq:bookmark'], limit: 1 } },
    }),
  )
  const [found] = rows
  if (found?.id) return found.id
  const made = dataOf(
    await api.management.POST('/applications', {
      body: {
        name: 'bookmark',
        displayLabel: LABEL,
        displayName: LABEL,
        description: 'Where people come from who are imported from a file',
        active: true,
        ssoUrl: `${window.location.origin}/console/${organization}/users`,
        sso: { hidden: true },
        config: {},
      },
    }),
  )
  return made.id
}

/** Leads to the import of a file: mapping, preview, plan, run and undo. */
export function ImportButton() {
  const may = useMay()
  const go = useGo()
  const { id } = useOrganization()
  const start = useChange({
    run: (api) => findOrCreate(api, id),
    touches: [['applications']],
    after: (application) =>
      void go(`applications/${application}/import`, { search: { view: 'source' } }),
  })
  if (!may.write('applications') || !may.write('users')) return null
  return (
    <Button
      size="sm"
      variant="default"
      leftSection={<IconFileImport size={16} aria-hidden />}
      loading={start.isPending}
      onClick={() => start.mutate()}
    >
      Import CSV
    </Button>
  )
}
