import pg from 'pg'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { firstOrganization, type Service } from '../service.ts'

// A large organization, generated in SQL: users, groups, devices and their associations.

export const PEOPLE = 100_000
const GROUPS = 5000
const SYSTEMS = 50_000
const SYSTEM_GROUPS = 1000
const APPLICATIONS = 200
export const NEARLY_ALL = APPLICATIONS + 1
export const IN_HUNDREDS = APPLICATIONS + 2
export const IN_THOUSANDS = APPLICATIONS + 3
export const NEARLY_ALL_GROUP = GROUPS + 1
export const A_HUNDREDTH = GROUPS + 3

const PREFIX = {
  user: '0000000a',
  user_group: '0000000b',
  system: '0000000c',
  system_group: '0000000d',
  application: '0000000e',
} as const
type Type = keyof typeof PREFIX

/** The id of the nth record of a type. */
export const idOf = (type: Type, n: number): string =>
  PREFIX[type] + n.toString(16).padStart(16, '0')
export const idSql = (type: Type, n: string): string =>
  `'${PREFIX[type]}' || lpad(to_hex(${n}), 16, '0')`

const edges = (from: Type, fromNumber: string, to: Type, toNumber: string, series: string) => `
  insert into edges (organization_id, from_type, from_id, to_type, to_id)
  select $1, '${from}', ${idSql(from, fromNumber)}, '${to}', ${idSql(to, toNumber)} from ${series}
  on conflict do nothing`
export const series = (from: number, to: number, name = 'i') =>
  `generate_series(${from}, ${to}) ${name}`

type Run = (text: string) => Promise<unknown>

export const addNodes = (type: Type, from: number, to: number) =>
  `insert into nodes (organization_id, type, id) select $1, '${type}', ${idSql(type, 'i')} from ${series(from, to)}`

/** ACTIVATED users with names, a department and a job title. `run` passes the organization as $1. */
export async function addPeople(run: Run, count: number): Promise<void> {
  await run(addNodes('user', 1, count))
  await run(`
    insert into users (organization_id, id, username, email, firstname, lastname, state, unix_uid, unix_guid, creation_source, profile)
    select $1, ${idSql('user', 'i')}, 'user' || i, 'user' || i || '@example.com', 'First' || i % 1000, 'Last' || i % 7919,
           'ACTIVATED', 5000 + i, 5000 + i, 'gatehouse:bulk', jsonb_build_object('department', 'department ' || i % 40, 'jobTitle', 'title ' || i % 300)
      from ${series(1, count)}`)
}

/** Every user group that is a node gets its record. */
const recordGroups = `
  insert into groups (organization_id, type, id, name)
  select organization_id, type, id, 'group ' || id from nodes where organization_id = $1 and type = 'user_group'`

/** One group for each size, with the first users as members. */
export async function addGroups(run: Run, sizes: readonly number[]): Promise<void> {
  await run(addNodes('user_group', 1, sizes.length))
  await run(recordGroups)
  for (const [at, size] of sizes.entries())
    await run(edges('user_group', String(at + 1), 'user', 'i', series(1, size)))
}

/** Users alone, as many as asked for. */
export async function makePeople(client: pg.Client, organizationId: string, count: number) {
  await addPeople((text) => client.query(text, [organizationId]), count)
  await finish(client)
}

/** Counts and statistics, as they would be some minutes later. */
export async function finish(client: pg.Client): Promise<void> {
  await client.query('call recount_members()')
  await client.query('call recount_nodes()')
  for (const table of ['users', 'groups', 'nodes', 'edges', 'member_counts', 'node_counts'])
    await client.query(`vacuum analyze ${table}`)
}

/** The first group has all users, the others about eighty each; most users reach an application on several paths. */
export async function makeWorld(client: pg.Client, organizationId: string): Promise<void> {
  const run = (text: string) => client.query(text, [organizationId])
  await addPeople(run, PEOPLE)
  for (const [type, count] of [
    ['user_group', GROUPS],
    ['system', SYSTEMS],
    ['system_group', SYSTEM_GROUPS],
    ['application', APPLICATIONS],
  ] as const)
    await run(addNodes(type, 1, count))
  await run(edges('user_group', '1', 'user', 'i', series(1, PEOPLE)))
  const spread = `2 + (i * 7919 + k * 104729) % ${GROUPS - 1}`
  await run(edges('user_group', spread, 'user', 'i', `${series(1, PEOPLE)}, ${series(1, 4, 'k')}`))
  await run(edges('system_group', '1', 'system', 'i', series(1, SYSTEMS)))
  await run(
    edges(
      'system_group',
      `2 + (i * 7919) % ${SYSTEM_GROUPS - 1}`,
      'system',
      'i',
      series(1, SYSTEMS),
    ),
  )
  await run(edges('user_group', 'i', 'application', '1', series(1, 50)))
  await run(
    edges(
      'user_group',
      'i',
      'application',
      `2 + (i * 31 + k) % ${APPLICATIONS - 1}`,
      `${series(2, GROUPS)}, ${series(1, 3, 'k')}`,
    ),
  )
  // Two groups of nearly everybody, and everybody in a hundred groups; each of both bound to an application of its own.
  const [almost, hundred] = [NEARLY_ALL_GROUP, A_HUNDREDTH]
  await run(addNodes('user_group', almost, hundred + 99))
  await run(addNodes('application', NEARLY_ALL, IN_THOUSANDS))
  await run(recordGroups)
  await run(edges('user_group', `${almost}`, 'user', 'i', series(1, PEOPLE - 1)))
  await run(edges('user_group', `${almost + 1}`, 'user', 'i', series(1000, PEOPLE)))
  await run(edges('user_group', `${hundred} + i % 100`, 'user', 'i', series(1, PEOPLE)))
  await run(edges('user_group', 'i', 'application', `${NEARLY_ALL}`, series(almost, almost + 1)))
  await run(
    edges('user_group', 'i', 'application', `${IN_HUNDREDS}`, series(hundred, hundred + 99)),
  )
  // And all groups except that of all users.
  await run(edges('user_group', 'i', 'application', `${IN_THOUSANDS}`, series(2, GROUPS)))
  await run(edges('user', 'i', 'system', `1 + i % ${SYSTEMS}`, series(1, PEOPLE)))
  await run(edges('user_group', 'i', 'system_group', `1 + i % ${SYSTEM_GROUPS}`, series(1, GROUPS)))
  await finish(client)
}

/** The same for the organization of a running service. */
export async function addWorld(service: Service): Promise<void> {
  const client = new pg.Client(connectionsOf(service.dataDir).owner)
  await client.connect()
  try {
    await makeWorld(client, await firstOrganization(service))
    await client.query('analyze')
  } finally {
    await client.end()
  }
}
