import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { writeWhole } from '../../server/platform/files.ts'
import {
  type Frame,
  frameHead,
  type Header,
  MAX_FRAME,
  newSeal,
  type TableEnd,
  type TableStart,
} from './format.ts'
import { JOBS, nameOf, ownTables, quote, type Table } from './tables.ts'

interface Summary {
  tables: Record<string, number>
  rows: number
  bytes: number
}

type OnProgress = (table: string, bytes: number) => void

const json = (kind: Frame['kind'], value: unknown): Frame => ({
  kind,
  body: Buffer.from(JSON.stringify(value)),
})

/** The weeks that have a partition with rows; the default partition holds the outliers. */
async function eventPartitions(client: pg.Client): Promise<TableStart['partitions']> {
  const { rows } = await client.query<{ from: string | null; to: string | null }>(`
    select min(timestamp) as from, max(timestamp) as to from events
     where tableoid <> 'events_default'::regclass`)
  const { from, to } = rows[0]!
  return from === null || to === null ? undefined : { from, to }
}

async function* tableFrames(
  client: pg.Client,
  table: Table,
  onProgress: OnProgress,
): AsyncGenerator<Frame, number> {
  const { schema, name, columns, select = {}, where } = table
  const partitions = name === 'events' ? await eventPartitions(client) : undefined
  const start: TableStart = { schema, name, columns, ...(partitions && { partitions }) }
  yield json('T', start)
  const list = columns.map((column) => select[column] ?? quote(column)).join(', ')
  // A query, not a table: PostgreSQL cannot COPY a partitioned table.
  const query = `select ${list} from ${nameOf(table)}${where ? ` where ${where}` : ''}`
  const rows = client.query(copyTo(`copy (${query}) to stdout`))
  let bytes = 0
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += MAX_FRAME)
      yield { kind: 'D', body: chunk.subarray(at, at + MAX_FRAME) }
    bytes += chunk.length
    onProgress(name, bytes)
  }
  yield json('E', { rows: rows.rowCount } satisfies TableEnd)
  return rows.rowCount
}

async function* archiveFrames(
  client: pg.Client,
  header: Header,
  tables: Record<string, number>,
  onProgress: OnProgress,
): AsyncGenerator<Frame> {
  yield json('H', header)
  for (const table of [...(await ownTables(client)), JOBS])
    tables[`${table.schema}.${table.name}`] = yield* tableFrames(client, table, onProgress)
}

async function* sealed(frames: AsyncIterable<Frame>, master: Buffer): AsyncGenerator<Buffer> {
  const seal = newSeal(master)
  for await (const frame of frames) {
    const bytes = Buffer.concat([frameHead(frame), frame.body])
    seal.update(bytes)
    yield bytes
  }
  const last: Frame = { kind: 'S', body: seal.digest() }
  yield Buffer.concat([frameHead(last), last.body])
}

/** Streams all tables from one snapshot: memory stays constant and writers are not blocked. */
export async function writeArchive(
  client: pg.Client,
  file: string,
  header: Header,
  master: Buffer,
  onProgress: OnProgress,
): Promise<Summary> {
  const tables: Record<string, number> = {}
  await writeWhole(file, (handle) =>
    pipeline(
      Readable.from(sealed(archiveFrames(client, header, tables, onProgress), master), {
        objectMode: false,
      }),
      createGzip(),
      async (packed: AsyncIterable<Buffer>) => {
        for await (const chunk of packed) await handle.appendFile(chunk)
      },
    ),
  )
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
  return { tables, rows, bytes: statSync(file).size }
}
