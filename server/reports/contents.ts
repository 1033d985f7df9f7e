import { type Binding, bindingsOf, DIRECTORY_TYPES, membershipsOf } from '../graph/index.ts'
import type { Tx } from '../platform/db.ts'
import { readSystems, type SystemRow, systemsAfter, toSystem } from '../systems/index.ts'
import { toUser, type UserRow, usersAfter } from '../users/index.ts'
import type { ReportContext } from './context.ts'
import type { ReportType } from './types.ts'

/** A row of a report: the value of each column, in their order. */
export type Row = unknown[]

export interface Content {
  columns: readonly string[]
  walk: Walk
}

/** Takes some rows in the transaction that read them. */
type Take = (tx: Tx, rows: Row[]) => Promise<void>
type Walk = (context: ReportContext, organizationId: string, take: Take) => Promise<void>

/** Records that are held at once. */
const PAGE = 500

/** Page after page, each in a transaction of its own: no report holds up the upkeep of the database. */
const walkPages =
  <T extends { id: string }>(
    read: (tx: Tx, organizationId: string, after: string, limit: number) => Promise<T[]>,
    each: (context: ReportContext, tx: Tx, page: T[], take: Take) => Promise<void>,
  ): Walk =>
  async (context, organizationId, take) => {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      after = await context.db.tx(organizationId, async (tx) => {
        const page = await read(tx, organizationId, from, PAGE)
        if (page.length > 0) await each(context, tx, page, take)
        return page.length < PAGE ? undefined : page.at(-1)!.id
      })
    }
  }

const PERSON = [
  'user_object_id',
  'username',
  'email',
  'firstname',
  'lastname',
  'employee_identifier',
  'department',
  'user_state',
]
const personOf = (row: UserRow): Row => [
  row.id,
  row.username,
  row.email,
  row.firstname,
  row.lastname,
  row.employee_identifier,
  row.profile.department ?? '',
  row.state,
]

/** Columns about what somebody is bound to; the names are looked up for each batch. */
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

/** A row for each pair. Who has nothing has a row as well, or nobody would notice. */
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

const devices = pairs({
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

const applications = pairs({
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

const directories = pairs({
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

const userGroups = pairs({
  columns: ['resource_object_id', 'user_group_name'],
  read: (tx, organizationId, ids) => membershipsOf(tx, organizationId, 'user', ids),
  async describe({ names }, tx, organizationId, batch) {
    const known = await names(tx, organizationId, nodesOf(batch))
    return ({ to }) => [to, known.get(to)]
  },
})

const issuesOf = (user: ReturnType<typeof toUser>): string[] =>
  Object.entries({
    suspended: user.state === 'SUSPENDED',
    staged: user.state === 'STAGED',
    locked: user.account_locked,
    no_password: !user.activated,
    password_expired: user.password_expired,
    password_never_expires: user.password_never_expires,
    no_mfa: !user.totp_enabled,
  }).flatMap(([issue, there]) => (there ? [issue] : []))

function healthOf(row: UserRow): Row {
  const user = toUser(row)
  return [
    ...personOf(row),
    issuesOf(user),
    user.activated,
    user.account_locked,
    user.account_locked_date,
    user.badLoginAttempts,
    user.password_date,
    user.password_expiration_date,
    user.password_expired,
    user.password_never_expires,
    user.mfaEnrollment?.overallStatus,
    user.totp_enabled,
    user.mfa?.exclusion,
    user.mfa?.exclusionUntil,
    user.creationSource,
    user.created,
  ]
}

const accountHealth: Content = {
  columns: [
    ...PERSON,
    'issues',
    'activated',
    'account_locked',
    'account_locked_date',
    'bad_login_attempts',
    'password_date',
    'password_expiration_date',
    'password_expired',
    'password_never_expires',
    'mfa_enrollment',
    'totp_enabled',
    'mfa_exclusion',
    'mfa_exclusion_until',
    'creation_source',
    'created',
  ],
  walk: walkPages(usersAfter, (_, tx, page, take) => take(tx, page.map(healthOf))),
}

function versionOf(row: SystemRow): Row {
  const { active } = toSystem(row)
  return [
    row.id,
    row.hostname,
    row.display_name,
    row.os_family || row.os,
    row.os,
    row.version,
    row.arch,
    row.serial_number,
    row.agent_version,
    active,
    row.last_contact,
    row.created,
  ]
}

const osVersion: Content = {
  columns: [
    'resource_object_id',
    'hostname',
    'display_name',
    'device_os',
    'os_name',
    'os_version',
    'arch',
    'serial_number',
    'agent_version',
    'active',
    'last_contact',
    'created',
  ],
  walk: walkPages(systemsAfter, (_, tx, page, take) => take(tx, page.map(versionOf))),
}

export const CONTENTS: Record<ReportType, Content> = {
  'os-version': osVersion,
  'user-account-health': accountHealth,
  'users-to-devices': devices,
  'users-to-directories': directories,
  'users-to-sso-applications': applications,
  'users-to-user-groups': userGroups,
}
