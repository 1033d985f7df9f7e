import { Group, Skeleton, Table, Text, Title, UnstyledButton } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { type Api, dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { PlainLink, useAddress, useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import classes from './organizations.module.css'

type Column = 'name' | 'users' | 'systems' | 'events' | 'problems'

interface Row {
  id: string
  name: string
  users: number | null
  systems: number | null
  events: number | null
  problems: number | null
}

const COLUMNS: { id: Column; label: string; to: string }[] = [
  { id: 'name', label: 'Organization', to: '' },
  { id: 'users', label: 'Users', to: 'users' },
  { id: 'systems', label: 'Devices', to: 'devices' },
  { id: 'events', label: 'Events in 24 hours', to: 'insights' },
  { id: 'problems', label: 'Needs attention', to: '' },
]

const number = new Intl.NumberFormat('en')

const DAY_MS = 86_400_000

/** Events by organization: one question about all of them. */
const eventsBy = (ids: string[]) => async (api: Api) => {
  const { buckets } = dataOf(
    await api.insights.POST('/v1/events/distinct', {
      params: { header: { 'x-org-id': ids.join(',') } },
      body: {
        service: ['all'],
        start_time: new Date(Date.now() - DAY_MS).toISOString(),
        field: 'organization',
      },
    }),
  )
  return new Map(buckets.map(({ key, doc_count }) => [key, doc_count]))
}

function compare(a: Row, b: Row, by: Column): number {
  if (by === 'name') return a.name.localeCompare(b.name)
  return (a[by] ?? -1) - (b[by] ?? -1)
}

function useOverview() {
  const { session } = useOrganization()
  const reads = useMay().read('insights')
  const ids = [...session.organizationIds].sort()
  const overview = useRead(['provider', 'overview'], async (api) =>
    dataOf(
      await api.management.GET('/v2/providers/{provider_id}/overview', {
        params: { path: { provider_id: session.providerId ?? '' } },
      }),
    ),
  )
  const events = useRead(['provider', 'events'], eventsBy(ids), { enabled: reads })
  const rows = overview.data?.results.map(
    (each): Row => ({
      ...each,
      events: events.data ? (events.data.get(each.id) ?? 0) : null,
    }),
  )
  return { rows, error: overview.error ?? events.error }
}

/** Every organization of the provider in a line; each number leads to what it counts. */
export function List() {
  const { rows, error } = useOverview()
  const { sort = 'name' } = useAddress()
  const go = useGo()
  useDocumentTitle('Organizations · Gatehouse')
  const by = (COLUMNS.find(({ id }) => id === sort.replace('-', '')) ?? COLUMNS[0]!).id
  const falling = sort.startsWith('-')
  /** Numbers start with the largest. */
  const next = (id: Column) => ((id === by ? !falling : id !== 'name') ? `-${id}` : id)
  const sorted = rows && [...rows].sort((a, b) => compare(a, b, by) * (falling ? -1 : 1))
  const Arrow = falling ? IconArrowDown : IconArrowUp
  return (
    <>
      <Group gap="sm" align="baseline" mb="md">
        <Title order={1}>Organizations</Title>
        <Text c="dimmed" component="span">
          {rows && `${number.format(rows.length)} of your provider`}
        </Text>
      </Group>
      <Problem error={error} />
      {!sorted && !error && <Skeleton h={200} />}
      {sorted && (
        <Table
          aria-label="Organizations"
          bg="var(--gh-surface)"
          withTableBorder
          highlightOnHover
          className={classes.table!}
        >
          <Table.Thead>
            <Table.Tr>
              {COLUMNS.map(({ id, label }) => (
                <Table.Th
                  key={id}
                  aria-sort={id === by ? (falling ? 'descending' : 'ascending') : 'none'}
                >
                  <UnstyledButton
                    className={classes.sort}
                    onClick={() =>
                      void go('organizations', { search: { sort: next(id) }, replace: true })
                    }
                  >
                    {label}
                    {id === by && <Arrow size={14} aria-hidden />}
                  </UnstyledButton>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.map((row) => (
              <Table.Tr key={row.id}>
                {COLUMNS.map(({ id, to }) => {
                  const value = row[id]
                  const text = typeof value === 'number' ? number.format(value) : (value ?? '–')
                  return (
                    <Table.Td key={id}>
                      {value !== null ? (
                        <PlainLink to={`/${row.id}${to && `/${to}`}`}>{text}</PlainLink>
                      ) : (
                        text
                      )}
                    </Table.Td>
                  )
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  )
}
