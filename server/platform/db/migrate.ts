import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { messageOf, OperatorError } from '../errors.ts'
import { type Connection, clientConfig } from './index.ts'

const DIRECTORY = new URL('../../../migrations/', import.meta.url)
/** An arbitrary advisory lock id: processes that start together take turns. */
const LOCK = 4_718_236_055
const MINIMUM_VERSION = 150_000

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
}

export function readMigrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name, at) => {
      const version = Number(name.slice(0, 4))
      if (version !== at + 1) throw new Error(`Migration ${name} should have number ${at + 1}`)
      const text = readFileSync(new URL(name, DIRECTORY), 'utf8')
      return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

export const schemaVersion = (): number => readMigrations().length

async function connectAsOwner(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({ ...clientConfig(connection), connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(
      "select current_setting('server_version_num')::int as version",
    )
    if (rows[0].version < MINIMUM_VERSION) {
      throw new OperatorError('PostgreSQL 15 or newer is required')
    }
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The database cannot be reached: ${messageOf(error)}`, { cause: error })
  }
}

async function applied(client: pg.Client): Promise<Map<number, string>> {
  const { rows: tables } = await client.query(
    "select to_regclass('public.schema_migrations') as found",
  )
  if (tables[0].found === null) return new Map()
  const { rows } = await client.query('select version, checksum from schema_migrations')
  return new Map(rows.map(({ version, checksum }) => [version, checksum]))
}

function pending(migrations: Migration[], done: Map<number, string>): Migration[] {
  const newest = Math.max(0, ...done.keys())
  if (newest > migrations.length) {
    throw new OperatorError(
      `The database is at schema version ${newest}, but this release only supports ${migrations.length}; start a newer release`,
    )
  }
  for (const { version, name, checksum } of migrations) {
    if (done.has(version) && done.get(version) !== checksum) {
      throw new OperatorError(
        `Migration ${name} differs from the one applied to this database: this release cannot upgrade it; start the version that made it`,
      )
    }
  }
  return migrations.filter(({ version }) => !done.has(version))
}

/** Migrations that `migrate` would run now. */
export async function pendingMigrations(owner: Connection): Promise<Migration[]> {
  const client = await connectAsOwner(owner)
  try {
    return pending(readMigrations(), await applied(client))
  } finally {
    await client.end()
  }
}

/**
 * Applies pending migrations; safe to call from several processes at once. `andThen` runs under the same lock, for
 * schema that a library owns (the job queue). A restore stops at `last`, the version of its archive.
 */
export async function migrate(
  owner: Connection,
  andThen: (owner: Connection, changed: boolean) => Promise<void>,
  last = Number.POSITIVE_INFINITY,
): Promise<Migration[]> {
  const client = await connectAsOwner(owner)
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const all = pending(readMigrations(), await applied(client))
    const todo = all.filter(({ version }) => version <= last)
    for (const { version, name, text, checksum } of todo) {
      await client.query('begin')
      try {
        await client.query(text)
        await client.query(
          'insert into schema_migrations (version, name, checksum) values ($1, $2, $3)',
          [version, name, checksum],
        )
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw new OperatorError(`Migration ${name} failed: ${messageOf(error)}`, { cause: error })
      }
    }
    await andThen(owner, todo.length > 0)
    return todo
  } finally {
    await client.end()
  }
}
