import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Connection } from '../../server/platform/db.ts'

// The same two rows that a created role leaves, written by plain `pg` and nothing around it.

export interface TwoInserts {
  connection: Connection
  connections: number
  pool: number
  seconds: number
  organizationId: string
  role: { description: string; scopes: string[] }
  /** An event as the service wrote it; only its ids and time are made new. */
  document: string
}

const input: TwoInserts = JSON.parse(process.argv[2]!)
const { organizationId, role, document } = input
const { role: _, ...connection } = input.connection
const pool = new pg.Pool({ ...connection, max: input.pool })
const mark = randomBytes(6).toString('hex')
let made = 0

async function createRole(): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      'insert into roles (organization_id, id, name, description, scopes) values ($1, $2, $3, $4, $5)',
      [
        organizationId,
        randomBytes(12).toString('hex'),
        `${mark}-${++made}`,
        role.description,
        role.scopes,
      ],
    )
    await client.query(
      'insert into events (organization_id, timestamp, id, service, document) values ($1, $2, $3, $4, $5)',
      [organizationId, new Date(), randomUUID(), 'directory', document],
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
    while (performance.now() < deadline) await createRole()
  }),
)
const elapsed = (performance.now() - started) / 1000
await pool.end()
process.stdout.write(JSON.stringify({ perSecond: made / elapsed }))
