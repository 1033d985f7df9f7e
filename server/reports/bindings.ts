import { type Binding, bindingsOf, DIRECTORY_TYPES, membershipsOf } from '../graph/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { readSystems } from '../systems/index.ts'
import { usersAfter } from '../users/index.ts'
import { type Content, PERSON, personOf, type Row, walkPages } from './content.ts'
import type { ReportContext } from './context.ts'

// Reports about the bindings of users.

/** The columns that describe a bound target; names are looked up per batch. */
interface Targets {
  columns: readonly string[]
  read(tx: Tx, organizationId: string, ids: string[]): AsyncGenerator<Binding[]>
  describe(
    context: ReportContext,
    tx: Tx,
    organizationId: string,
    batch: Binding[],
  ): Promise<(binding: Binding) => Row>
}

/** One row per pair. A user without bindings has a row too, so that the gap is visible. */
const pairs = ({ columns, read, describe }: Targets): Content => ({
  columns: [...PERSON, ...columns],
  walk: walkPages(usersAfter, async (context, tx, page, take) => {
    const { organization_id } = page[0]!
    const people = new Map(page.map((row) => [row.id, row]))
    const without = new Set(people.keys())
    for await (const batch of read(tx, organization_id, [...people.keys()])) {
      const targetOf = await describe(context, tx, organization_id, batch)
      const rows = batch.flatMap((binding) => {
        const person = people.get(binding.from)
        without.delete(binding.from)
        return person ? [[...personOf(person), ...targetOf(binding)]] : []
      })
      await take(tx, rows)
    }
    const nothing = columns.map(() => null)
    await take(
      tx,
      [...without].map((id) => [...personOf(people.get(id)!), ...nothing]),
    )
  }),
})

const nodesOf = (batch: Binding[]) =>
  batch.flatMap(({ type, to, groups, targetGroups }) => [
    { type, id: to },
    ...groups.map((id) => ({ type: 'user_group' as const, id })),
    ...targetGroups.map((id) => ({ type: 'system_group' as const, id })),
  ])
const named = (names: ReadonlyMap<string, string>, ids: string[]): string[] =>
  ids.map((id) => names.get(id) ?? id).sort()
const kindOf = ({ direct }: Binding): string => (direct ? 'direct' : 'group')

export const devices = pairs({
  columns: [
    'resource_object_id',
    'hostname',
    'display_name',
    'device_os',
    'os_version',
    'serial_number',
    'last_contact',
    'association_type',
    'user_groups',
    'device_groups',
  ],
  read: (tx, organizationId, ids) => bindingsOf(tx, organizationId, 'user', ids, ['system']),
  async describe({ names }, tx, organizationId, batch) {
    const ids = [...new Set(batch.map(({ to }) => to))]
    const systems = new Map(
      (await readSystems(tx, organizationId, ids)).map((row) => [row.id, row]),
    )
    const known = await names(
      tx,
      organizationId,
      nodesOf(batch).filter(({ type }) => type !== 'system'),
    )
    return (binding) => {
      const system = systems.get(binding.to)
      return [
        binding.to,
        system?.hostname,
        system?.display_name,
        system?.os_family || system?.os,
        system?.version,
        system?.serial_number,
        system?.last_contact,
        kindOf(binding),
        named(known, binding.groups),
        named(known, binding.targetGroups),
      ]
    }
  },
})

export const applications = pairs({
  columns: ['resource_object_id', 'application_name', 'association_type', 'user_groups'],
  read: (tx, organizationId, ids) => bindingsOf(tx, organizationId, 'user', ids, ['application']),
  async describe({ names }, tx, organizationId, batch) {
    const known = await names(tx, organizationId, nodesOf(batch))
    return (binding) => [
      binding.to,
      known.get(binding.to),
      kindOf(binding),
      named(known, binding.groups),
    ]
  },
})

export const directories = pairs({
  columns: [
    'resource_object_id',
    'directory_type',
    'directory_name',
    'association_type',
    'user_groups',
  ],
  read: (tx, organizationId, ids) => bindingsOf(tx, organizationId, 'user', ids, DIRECTORY_TYPES),
  async describe({ names }, tx, organizationId, batch) {
    const known = await names(tx, organizationId, nodesOf(batch))
    return (binding) => [
      binding.to,
      binding.type,
      known.get(binding.to),
      kindOf(binding),
      named(known, binding.groups),
    ]
  },
})

export const userGroups = pairs({
  columns: ['resource_object_id', 'user_group_name'],
  read: (tx, organizationId, ids) => membershipsOf(tx, organizationId, 'user', ids),
  async describe({ names }, tx, organizationId, batch) {
    const known = await names(tx, organizationId, nodesOf(batch))
    return ({ to }) => [to, known.get(to)]
  },
})
