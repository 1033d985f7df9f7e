import pg from 'pg'
import type { Logger } from '../log.ts'
import { type Connection, clientConfig, type Queryable } from './index.ts'
import { sql } from './sql.ts'

export interface Listener {
  /** The connection stands and listens; also after it was lost and came back. */
  onConnect(client: pg.Client): void | Promise<void>
  onNews(payload: string): void
  /** From now on news may be missed. */
  onLost?(): void
}

/**
 * Tells those who listen to a channel when the transaction commits, once however often it is called. Commits that tell
 * something wait for each other, so it is for rare changes.
 */
export async function notify(db: Queryable, channel: string): Promise<void> {
  await db.run(sql`select pg_notify(${channel}, '')`)
}

/** Hears the notifications of a channel on a connection of its own until the returned function is called. */
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
