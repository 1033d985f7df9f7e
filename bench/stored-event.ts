import pg from 'pg'
import { type Connection, clientConfig } from '../server/platform/db/index.ts'

/** The newest event of an organization, as stored. */
export async function latestDocument(owner: Connection, organizationId: string): Promise<string> {
  const client = new pg.Client(clientConfig(owner))
  await client.connect()
  try {
    const { rows } = await client.query<{ document: string }>(
      'select document from events where organization_id = $1 order by timestamp desc limit 1',
      [organizationId],
    )
    return rows[0]!.document
  } finally {
    await client.end()
  }
}
