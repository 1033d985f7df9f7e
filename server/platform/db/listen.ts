import pg from 'pg'
import type { Logger } from '../log.ts'
import { type Connection, clientConfig, type Queryable } from './index.ts'
import { sql } from './sql.ts'

export interface Listener {
  /** The connection is open and listening; also called after each reconnect. */
  onConnect(client: pg.Client): void | Promise<void>
  onNews(payload: string): void
  /** From now on notifications may be missed. */
  onLost?(): void
}

/**
 * Sends a NOTIFY on commit; repeated calls in a transaction are merged. Commits with a NOTIFY are serialized, so use it
 * for rare changes only.
 */
export async function notify(db: Queryable, channel: string, payload = ''): Promise<void> {
  await db.run(sql`select pg_notify(${channel}, ${payload})`)
}

/** Listens on a channel, over its own connection, until the returned function is called. */
export async function listen(
  connection: Connection,
  channel: string,
  listener: Listener,
  log: Logger,
): Promise<() => Promise<void>> {
  let stopped = false
  let current: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const client = new pg.Client({ ...clientConfig(connection), keepAlive: true })
    const lost = () => {
      if (current !== client) return
      current = null
      listener.onLost?.()
      if (!stopped) timer = setTimeout(() => void connect(), 250)
    }
    current = client
    client.on('error', lost).on('end', lost)
    client.on('notification', ({ payload = '' }) => listener.onNews(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      await listener.onConnect(client)
    } catch (error) {
      log.debug({ channel, err: error }, 'waiting for the database to listen')
      lost()
      await client.end().catch(() => {})
    }
  }

  await connect()
  return async () => {
    stopped = true
    clearTimeout(timer)
    const open = current
    current = null
    listener.onLost?.()
    await open?.end().catch(() => {})
  }
}
