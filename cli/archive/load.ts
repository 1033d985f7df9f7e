import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { OperatorError } from '../../server/platform/errors.ts'
import type { Frame, TableEnd, TableStart } from './format.ts'
import { nameOf, ownTables, quote } from './tables.ts'

type OnProgress = (table: string, bytes: number) => void

async function* rowsOf(
  frames: AsyncGenerator<Frame>,
  onEnd: (end: TableEnd) => void,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0
  // Not `for await`, which would close the archive at the end of the first table.
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    const { kind, body } = next.value
    if (kind === 'E') return onEnd(JSON.parse(body.toString()))
    bytes += body.length
    onBytes(bytes)
    yield body
  }
}

async function loadTable(
  client: pg.Client,
  start: TableStart,
  frames: AsyncGenerator<Frame>,
  onProgress: OnProgress,
): Promise<number> {
  const { name, columns, partitions } = start
  if (partitions)
    await client.query('select create_event_partitions($1, $2)', [partitions.from, partitions.to])
  const target = client.query(
    copyFrom(`copy ${nameOf(start)} (${columns.map(quote).join(', ')}) from stdin`),
  )
  let expected = -1
  const rows = rowsOf(
    frames,
    (end) => {
      expected = end.rows
    },
    (bytes) => onProgress(name, bytes),
  )
  await pipeline(rows, target)
  if (target.rowCount !== expected)
    throw new OperatorError(`${name}: got ${target.rowCount} of ${expected} rows`)
  return target.rowCount
}

/** Truncates and fills all tables, inside the caller's transaction. */
export async function loadArchive(
  client: pg.Client,
  frames: AsyncGenerator<Frame>,
  onProgress: OnProgress,
): Promise<Record<string, number>> {
  const own = await ownTables(client)
  await client.query(`truncate ${own.map(nameOf).join(', ')}`)
  await client.query('delete from pgboss.job')
  const loaded: Record<string, number> = {}
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    if (next.value.kind !== 'T') continue
    const start: TableStart = JSON.parse(next.value.body.toString())
    loaded[`${start.schema}.${start.name}`] = await loadTable(client, start, frames, onProgress)
  }
  // The counts still include the rows that were truncated.
  await client.query('call recount_members()')
  await client.query('call recount_nodes()')
  // Otherwise pg-boss would delete the jobs of an old archive as overdue before they run.
  await client.query(
    "update pgboss.job set keep_until = greatest(keep_until, now() + interval '14 days')",
  )
  return loaded
}
