import pg from 'pg'
import { type Connection, clientConfig } from '../../server/platform/db/index.ts'
import { messageOf, OperatorError } from '../../server/platform/errors.ts'

// Text in the archive must mean the same on every server, and large tables need time: no timeouts.
// With row_security off, a policy that would hide rows raises an error instead.
const SETTINGS = `
  set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 3;
  set client_encoding = 'UTF8'; set statement_timeout = 0; set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0; set row_security = off; set search_path = public`

/** A separate connection as the owner of the tables: the pool does not support COPY streams. */
export async function withOwnerClient<T>(
  owner: Connection,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(clientConfig(owner))
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(SETTINGS)
  } catch (error) {
    await client.end().catch(() => {})
    throw new OperatorError(`The database cannot be used: ${messageOf(error)}`, { cause: error })
  }
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}
