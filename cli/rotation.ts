import type { Db, Queryable } from '../server/platform/db/index.ts'
import { notify } from '../server/platform/db/listen.ts'
import { empty, identifier, join, type Sql, sql } from '../server/platform/db/sql.ts'
import { codeOf, messageOf, OperatorError } from '../server/platform/errors.ts'
import { KEYS_CHANNEL, keyLock } from '../server/platform/key-watch.ts'
import { SEALED_COLUMNS, type SealedColumn } from '../server/platform/sealed-columns.ts'
import type { Sealer } from '../server/platform/secrets.ts'

const BATCH = 200
/** An arbitrary constant: one rotation at a time. */
const LOCK = 4_718_236_059
const WAIT_SECONDS = 30

type Row = Record<string, string> & { sealed: string }

const keyOf = ({ key }: SealedColumn): Sql => join(key.map(identifier), ', ')
const valuesOf = ({ key }: SealedColumn, row: Row): Sql =>
  join(
    key.map((name) => sql`${row[name]}`),
    ', ',
  )

/** Rows encrypted under another key than `keyId`, ordered by primary key. */
function readBatch(db: Queryable, place: SealedColumn, keyId: string, after: Row | undefined) {
  const column = identifier(place.column)
  const beyond = after ? sql`and (${keyOf(place)}) > (${valuesOf(place, after)})` : empty
  return db.many<Row>(sql`
    select ${keyOf(place)}, ${column} as sealed from ${identifier(place.table)}
     where ${column} is not null and not starts_with(${column}, ${`${keyId}.`}) ${beyond}
     order by ${keyOf(place)} limit ${BATCH}`)
}

/** Skips a value that has changed in the meantime. */
async function resealRow(db: Queryable, sealer: Sealer, place: SealedColumn, row: Row) {
  const context = place.context(row)
  let fresh: string
  try {
    fresh = await sealer.reseal(row.sealed, context)
  } catch (error) {
    throw new OperatorError(
      `${place.table}.${place.column} of ${context} cannot be decrypted (${messageOf(error)}); the old keys are kept`,
    )
  }
  const column = identifier(place.column)
  return db.run(sql`
    update ${identifier(place.table)} set ${column} = ${fresh}
     where (${keyOf(place)}) = (${valuesOf(place, row)}) and ${column} = ${row.sealed}`)
}

async function resealColumn(
  inBatch: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>,
  sealer: Sealer,
  place: SealedColumn,
  onRows: (rows: number) => void,
): Promise<void> {
  let last: Row | undefined
  do {
    const rows: Row[] = await inBatch(async (tx) => {
      const batch = await readBatch(tx, place, sealer.currentKeyId, last)
      for (const row of batch) await resealRow(tx, sealer, place, row)
      return batch
    })
    last = rows.at(-1)
    onRows(rows.length)
  } while (last !== undefined)
}

/** Waits until no running process encrypts with one of these keys. */
async function awaitRelease(tx: Queryable, keyIds: string[]): Promise<void> {
  try {
    for (const [first, second] of keyIds.map(keyLock))
      await tx.run(sql`select pg_advisory_xact_lock(${first}::int, ${second}::int)`)
  } catch (error) {
    if (codeOf(error) !== '55P03') throw error
    throw new OperatorError(
      'All values are encrypted under the new key, but a running Gatehouse still uses the old one, so it was not deleted: restart that process, then rotate again',
    )
  }
}

interface Rotation {
  key: string
  resealed: number
  removedKeys: number
}

/**
 * Re-encrypts everything under a new data key and deletes the old ones, while servers run. `db` must be the
 * owner's: it bypasses row-level security, and locks the tables against writers during the last pass.
 */
export async function rotateDataKey(
  db: Db,
  sealer: Sealer,
  onProgress: (resealed: number) => void,
): Promise<Rotation> {
  const before = await db.many<{ id: string }>(sql`select id from data_keys`)
  const oldIds = before.map(({ id }) => id)
  const key = await sealer.addKey()
  await notify(db, KEYS_CHANNEL)
  let resealed = 0
  const onRows = (rows: number) => {
    resealed += rows
    onProgress(resealed)
  }
  for (const place of SEALED_COLUMNS)
    await resealColumn((work) => db.tx(null, work), sealer, place, onRows)

  const removedKeys = await db.tx(null, async (tx) => {
    await tx.execute(`set local lock_timeout = '${WAIT_SECONDS}s'`)
    await awaitRelease(tx, oldIds)
    const tables = new Set(SEALED_COLUMNS.map(({ table }) => table))
    // Blocks writers, then re-encrypts values written under an old key since the first pass.
    for (const table of tables)
      await tx.run(sql`lock table ${identifier(table)} in share row exclusive mode`)
    for (const place of SEALED_COLUMNS)
      await resealColumn((work) => work(tx), sealer, place, onRows)
    return tx.run(sql`delete from data_keys where id = any(${oldIds}::text[])`)
  })
  return { key, resealed, removedKeys }
}

/** Runs `work` unless another rotation is running. */
export async function oneRotation<T>(db: Db, work: () => Promise<T>): Promise<T> {
  return db.tx(null, async (tx) => {
    const row = await tx.one<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(${LOCK}::bigint) as free`,
    )
    if (!row?.free) throw new OperatorError('Another key rotation is running')
    return work()
  })
}
