import type { Queryable } from '../platform/db/index.ts'
import { empty, prepared, type Sql, sql } from '../platform/db/sql.ts'
import type { Field, Resource } from '../platform/list/conditions.ts'
import { type Page, readPage } from '../platform/list/page.ts'
import type { ListQuery } from '../platform/list/query.ts'
import { totalOf } from '../platform/list/total.ts'
import type { MemberQuery, MembershipMethod } from './schema.ts'

export type GroupType = 'user_group' | 'system_group'

export interface GroupRow {
  id: string
  type: GroupType
  name: string
  description: string
  email: string
  attributes: Record<string, unknown> | null
  membership_method: MembershipMethod
  member_query: MemberQuery | null
  exempt_ids: string[]
  error_flags: string[]
  suggestions_notify: boolean
}

const string = (column: Sql): Field => ({ column, kind: 'string' })
const columns = sql`g.id, g.type, g.name, g.description, g.email, g.attributes, g.membership_method, g.member_query,
  g.exempt_ids, g.error_flags, g.suggestions_notify`

const common: Record<string, Field> = {
  id: string(sql`g.id`),
  name: string(sql`g.name`),
  type: string(sql`g.type`),
  description: string(sql`g.description`),
  email: string(sql`g.email`),
  // Groups cannot be disabled, but clients filter on this field.
  disabled: { column: sql`false`, kind: 'boolean' },
  memberQueryErrorFlags: string(sql`array_to_string(g.error_flags, ' ')`),
}
const ofOneKind: Record<string, Field> = {
  ...common,
  membershipMethod: string(sql`g.membership_method`),
}
const suggested = (op: Sql): Field => ({
  column: sql`(select count(*) from group_suggestions s
    where s.organization_id = g.organization_id and s.group_id = g.id and ${op})`,
  kind: 'number',
})
const sudo = (member: Sql): Field => ({
  column: sql`coalesce((g.attributes -> 'sudo' ->> ${member})::boolean, false)`,
  kind: 'boolean',
})

const resource = (fields: Record<string, Field>): Resource => ({
  fields,
  defaultSort: 'name',
  tieBreak: sql`g.id`,
  searchFields: ['name', 'description'],
})
export const groupResource: Resource = resource(common)
export const groupResources: Record<GroupType, Resource> = {
  user_group: resource({
    ...ofOneKind,
    'suggestionCounts.add': suggested(sql`s.op = 'add'`),
    'suggestionCounts.remove': suggested(sql`s.op = 'remove'`),
    'suggestionCounts.total': suggested(sql`true`),
    'attributes.sudo.enabled': sudo(sql`'enabled'`),
    'attributes.sudo.withoutPassword': sudo(sql`'withoutPassword'`),
  }),
  system_group: resource(ofOneKind),
}

const living = (organizationId: string, type: GroupType | null): Sql =>
  type === null
    ? sql`g.organization_id = ${organizationId} and g.deleted_at is null`
    : sql`g.organization_id = ${organizationId} and g.type = ${type} and g.deleted_at is null`

/** Groups of one type, or of both when `type` is null. */
export const readGroups = (
  db: Queryable,
  organizationId: string,
  type: GroupType | null,
  list: ListQuery,
): Promise<Page<GroupRow>> =>
  readPage<GroupRow>(
    db,
    columns,
    sql`groups g`,
    living(organizationId, type),
    list,
    type ? totalOf(organizationId, type) : undefined,
  )

export async function countGroups(db: Queryable, organizationId: string): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) as count from groups g where ${living(organizationId, null)}`,
  )
  return row?.count ?? 0
}

const read =
  (lock: Sql) =>
  (
    db: Queryable,
    organizationId: string,
    type: GroupType,
    id: string,
  ): Promise<GroupRow | undefined> =>
    db.one<GroupRow>(
      sql`select ${columns} from groups g where ${living(organizationId, type)} and g.id = ${id} ${lock}`,
    )

export const findGroup = read(empty)
export const lockGroup = read(sql`for update`)
/** A share lock keeps the rule stable while members change. */
export const holdGroup = read(sql`for share`)

/** Groups with a rule, ordered by id so that concurrent transactions lock them without deadlock. */
export const dynamicGroups = (
  db: Queryable,
  organizationId: string,
  type: GroupType,
): Promise<GroupRow[]> =>
  db.many<GroupRow>(
    prepared(sql`
      select ${columns} from groups g
       where ${living(organizationId, type)} and g.membership_method in ('DYNAMIC_REVIEW_REQUIRED', 'DYNAMIC_AUTOMATED')
         and g.member_query is not null
       order by g.id`),
  )

const json = (value: object | null): string | null => value && JSON.stringify(value)

export async function insertGroup(
  db: Queryable,
  organizationId: string,
  row: GroupRow,
): Promise<void> {
  await db.run(sql`
    insert into groups (organization_id, type, id, name, description, email, attributes, membership_method, member_query,
                        exempt_ids, error_flags, suggestions_notify)
    values (${organizationId}, ${row.type}, ${row.id}, ${row.name}, ${row.description}, ${row.email},
            ${json(row.attributes)}, ${row.membership_method}, ${json(row.member_query)}, ${row.exempt_ids},
            ${row.error_flags}, ${row.suggestions_notify})`)
}

export async function saveGroup(
  db: Queryable,
  organizationId: string,
  row: GroupRow,
): Promise<void> {
  await db.run(sql`
    update groups set name = ${row.name}, description = ${row.description}, email = ${row.email},
           attributes = ${json(row.attributes)}, membership_method = ${row.membership_method},
           member_query = ${json(row.member_query)}, exempt_ids = ${row.exempt_ids}, error_flags = ${row.error_flags},
           suggestions_notify = ${row.suggestions_notify}
     where organization_id = ${organizationId} and id = ${row.id}`)
}

export async function markDeleted(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<void> {
  await db.run(sql`
    update groups set deleted_at = clock_timestamp() where organization_id = ${organizationId} and id = ${id}`)
}

/** Restores the group; undefined when there is none to restore. */
export const unmarkDeleted = (
  db: Queryable,
  organizationId: string,
  type: GroupType,
  id: string,
): Promise<GroupRow | undefined> =>
  db.one<GroupRow>(sql`
    update groups g set deleted_at = null
     where g.organization_id = ${organizationId} and g.type = ${type} and g.id = ${id} and g.deleted_at is not null
    returning ${columns}`)

/** Nodes and edges are kept: they record who had access in the past. */
export const purgeGroups = (
  db: Queryable,
  organizationId: string,
  before: string,
): Promise<number> =>
  db.run(
    sql`delete from groups where organization_id = ${organizationId} and deleted_at < ${before}::timestamptz`,
  )

export async function groupNames(
  db: Queryable,
  organizationId: string,
  ids: string[],
): Promise<Map<string, string>> {
  const rows = await db.many<{ id: string; name: string }>(
    sql`select id, name from groups where organization_id = ${organizationId} and id = any(${ids})`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Names are matched exactly; one that several groups have is left out. */
export const findGroupsByName = (
  db: Queryable,
  organizationId: string,
  type: GroupType,
  names: readonly string[],
) =>
  db.many<{ id: string; name: string }>(sql`
    select min(g.id::text) as id, g.name from groups g
     where ${living(organizationId, type)} and g.name = any(${names}::text[])
     group by g.name having count(*) = 1`)
