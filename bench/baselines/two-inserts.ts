import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { Connection } from '../../server/platform/db/index.ts'

// The two rows of a created user and its event, written by plain `pg`.

export interface TwoInserts {
  connection: Connection
  connections: number
  pool: number
  seconds: number
  organizationId: string
  /** Tenant of the rows. */
  otherId: string
  /** A user as the service wrote it; only unique values are regenerated. */
  userId: string
  /** An event as the service wrote it; only its ids and time are regenerated. */
  document: string
}

const input: TwoInserts = JSON.parse(readFileSync(0, 'utf8'))
const { organizationId, otherId, userId, document } = input
const { role: _, ...connection } = input.connection
const pool = new pg.Pool({ ...connection, max: input.pool })
const mark = randomBytes(6).toString('hex')
let made = 0

/** Every column of the user except generated ones. */
async function columnsOf(): Promise<{ names: string[]; values: unknown[] }> {
  const { rows } = await pool.query(
    "select to_jsonb(u) - array['username_key', 'email_key'] as row from users u where organization_id = $1 and id = $2",
    [organizationId, userId],
  )
  const entries = Object.entries(rows[0].row as Record<string, unknown>)
  return {
    names: entries.map(([name]) => name),
    values: entries.map(([, value]) =>
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    ),
  }
}

const { names, values } = await columnsOf()
const insertUser = `insert into users (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`

async function createUser(): Promise<void> {
  const name = `${mark}-${++made}`
  const fresh: Record<string, unknown> = {
    organization_id: otherId,
    id: randomBytes(12).toString('hex'),
    username: name,
    email: `${name}@example.com`,
  }
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      insertUser,
      names.map((column, at) => fresh[column] ?? values[at]),
    )
    await client.query(
      'insert into events (organization_id, timestamp, id, service, document) values ($1, $2, $3, $4, $5)',
      [otherId, new Date(), randomUUID(), 'directory', document],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
}

const started = performance.now()
const deadline = started + input.seconds * 1000
await Promise.all(
  Array.from({ length: input.connections }, async () => {
    while (performance.now() < deadline) await createUser()
  }),
)
const elapsed = (performance.now() - started) / 1000
await pool.end()
process.stdout.write(JSON.stringify({ perSecond: made / elapsed }))
