import pg from 'pg'
import { type Connection, clientConfig } from '../server/platform/db/index.ts'

export const TEMPLATE = 'gatehouse_test_template'

export interface ClusterConnections {
  owner: Connection
  service: Connection
}

export const onDatabase = (connection: Connection, database: string): Connection => {
  if (connection.connectionString === undefined) return { ...connection, database }
  const url = new URL(connection.connectionString)
  url.pathname = `/${database}`
  return { ...connection, connectionString: url.toString() }
}

export async function asOwner<T>(
  connection: Connection,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
