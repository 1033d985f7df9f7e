import type { Db } from '../platform/db/index.ts'
import { identifier, join, sql } from '../platform/db/sql.ts'

// Deletes the rows of an organization in all tables. The tables come from the catalogue, so that a table of another slice
// cannot be forgotten; by then no slice acts on them any more.

/** Rows that one transaction deletes: short locks, and a killed job loses little. */
const STEP = 5000

interface OwnedTable {
  name: string
  columns: string[]
}

/** Columns that hold the id of an organization; see the conventions in migration 0001. */
const OWNERS = ['organization_id', 'tenant', 'organization']

/** Every table with rows of organizations, those that reference others first. */
export async function ownedTables(db: Pick<Db, 'many'>): Promise<OwnedTable[]> {
  const tables = await db.many<OwnedTable & { references: string[] }>(sql`
    select c.relname as name, array_agg(distinct a.attname::text) as columns,
           coalesce((select array_agg(distinct r.relname::text) from pg_constraint k join pg_class r on r.oid = k.confrelid
                      where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid), '{}') as "references"
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname = any(${OWNERS}::text[]) and not a.attisdropped
     group by c.oid order by 1`)
  const ordered: OwnedTable[] = []
  const left = new Map(tables.map((table) => [table.name, table]))
  while (left.size > 0) {
    const free = [...left.values()].filter(
      ({ name }) => ![...left.values()].some(({ references }) => references.includes(name)),
    )
    // None in a cycle of references; cascades then do the rest.
    const next = free.length > 0 ? free : [...left.values()]
    for (const { name, columns } of next) {
      ordered.push({ name, columns })
      left.delete(name)
    }
  }
  return ordered
}

/** At most `STEP` rows in a transaction; returns how many. */
export const eraseSome = (
  db: Db,
  organizationId: string,
  { name, columns }: OwnedTable,
): Promise<number> => {
  const table = identifier(name)
  const owned = join(columns.map(identifier), ', ')
  return db.tx(organizationId, (tx) =>
    tx.run(sql`
      delete from ${table} where ${organizationId} in (${owned}) and ctid = any(array(
        select ctid from ${table} where ${organizationId} in (${owned}) limit ${STEP}))`),
  )
}

export const eraseRow = (db: Db, organizationId: string) =>
  db.run(sql`delete from organizations where id = ${organizationId} and deleted_at is not null`)
