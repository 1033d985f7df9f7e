import type { Queryable } from '../../platform/db/index.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Resource } from '../../platform/list/conditions.ts'
import { type Page, readPage } from '../../platform/list/page.ts'
import type { ListQuery } from '../../platform/list/query.ts'
import type { SavedSearch } from './schema.ts'

export const SAVED_SEARCHES: Resource = {
  fields: {
    name: { column: sql`s.name`, kind: 'string' },
    description: { column: sql`s.description`, kind: 'string' },
    shared: { column: sql`s.shared`, kind: 'boolean' },
    owner: { column: sql`s.owner`, kind: 'string' },
    created: { column: sql`s.created`, kind: 'date' },
    updated: { column: sql`s.updated`, kind: 'date' },
  },
  defaultSort: 'name',
  tieBreak: sql`s.id`,
  searchFields: ['name', 'description'],
}

const COLUMNS = sql`s.id, s.owner, s.name, s.description, s.shared, s.columns, s.query, s.created, s.updated`

/** The caller's own and shared ones. */
const visible = (organizationId: string, callerId: string) =>
  sql`s.organization_id = ${organizationId} and (s.shared or s.owner = ${callerId})`

export const pageOfSavedSearches = (
  db: Queryable,
  organizationId: string,
  callerId: string,
  list: ListQuery,
): Promise<Page<SavedSearch>> =>
  readPage(db, COLUMNS, sql`saved_searches s`, visible(organizationId, callerId), list)

export const findSavedSearch = (
  db: Queryable,
  organizationId: string,
  callerId: string,
  id: string,
): Promise<SavedSearch | undefined> =>
  db.find(
    sql`select ${COLUMNS} from saved_searches s where ${visible(organizationId, callerId)} and s.id = ${id}`,
  )

export const lockSavedSearch = (
  db: Queryable,
  organizationId: string,
  callerId: string,
  id: string,
): Promise<SavedSearch | undefined> =>
  db.one(
    sql`select ${COLUMNS} from saved_searches s where ${visible(organizationId, callerId)} and s.id = ${id} for update`,
  )

type Kept = Omit<SavedSearch, 'created' | 'updated'>

export async function insertSavedSearch(
  db: Queryable,
  organizationId: string,
  search: Kept,
): Promise<SavedSearch> {
  const { id, owner, name, description, shared, query, columns } = search
  const row = await db.one<SavedSearch>(sql`
    insert into saved_searches as s (organization_id, id, owner, name, description, shared, query, columns)
    values (${organizationId}, ${id}, ${owner}, ${name}, ${description}, ${shared}, ${JSON.stringify(query)}, ${columns})
    returning ${COLUMNS}`)
  return row!
}

export async function saveSavedSearch(
  db: Queryable,
  organizationId: string,
  search: Kept,
): Promise<SavedSearch> {
  const { id, owner, name, description, shared, query, columns } = search
  const row = await db.one<SavedSearch>(sql`
    update saved_searches s
       set owner = ${owner}, name = ${name}, description = ${description}, shared = ${shared},
           query = ${JSON.stringify(query)}, columns = ${columns}, updated = now()
     where s.organization_id = ${organizationId} and s.id = ${id}
    returning ${COLUMNS}`)
  return row!
}

export const deleteSavedSearch = (db: Queryable, organizationId: string, id: string) =>
  db.run(sql`delete from saved_searches where organization_id = ${organizationId} and id = ${id}`)

/** For a deleted administrator, in all tenants: private searches are deleted, shared ones become ownerless. */
export const leaveSavedSearches = (db: Queryable, administratorId: string) =>
  db.run(sql`select leave_saved_searches(${administratorId})`)
