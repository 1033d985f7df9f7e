import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import pg from 'pg'
import { type Connection, clientConfig } from './db.ts'
import { messageOf } from './errors.ts'
import type { Logger } from './log.ts'
import type { Sealer } from './secrets.ts'

export const KEYS_CHANNEL = 'gatehouse_keys'
/** The first half of the advisory locks of this file, so that they meet no others. */
const LOCK_CLASS = 47_182_360

/**
 * Whoever seals with a data key holds its lock shared; whoever wants to delete the key takes it exclusively,
 * and so waits until nobody can seal with it any more.
 */
export const keyLock = (keyId: string): [number, number] => [LOCK_CLASS, crc32(keyId) | 0]

/** A value sealed just before the change of key may still be on its way to the database. */
const GRACE_MS = 500

/**
 * Keeps the keys of a long-running process in step with `gatehouse keys rotate` in another one, until the
 * returned function is called; reconnects by itself.
 */
export async function followKeys(
  connection: Connection,
  sealer: Sealer,
  log: Logger,
): Promise<() => Promise<void>> {
  let stopped = false
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...clientConfig(connection), keepAlive: true })
    let held: string | null = null
    const lost = () => {
      if (client !== next) return
      client = null
      if (!stopped) timer = setTimeout(() => void connect(), 250)
    }
    const follow = async (): Promise<void> => {
      await sealer.reload()
      const before = held
      const now = sealer.currentKeyId
      if (now === before) return
      await next.query('select pg_advisory_lock_shared($1, $2)', keyLock(now))
      held = now
      if (before === null) return
      await delay(GRACE_MS)
      await next.query('select pg_advisory_unlock_shared($1, $2)', keyLock(before))
    }
    // One after the other, or two could both let go of the same lock.
    let queue = Promise.resolve()
    const onNews = () => {
      queue = queue.then(follow).catch((error) => {
        if (client === next) log.error({ reason: messageOf(error) }, 'data keys cannot be read')
      })
    }
    client = next
    next.on('error', lost).on('end', lost).on('notification', onNews)
    try {
      await next.connect()
      await next.query(`listen ${KEYS_CHANNEL}`)
      await follow()
    } catch (error) {
      log.debug({ err: error }, 'waiting for the database to follow its data keys')
      lost()
      await next.end().catch(() => {})
    }
  }

  await connect()
  return async () => {
    stopped = true
    clearTimeout(timer)
    const open = client
    client = null
    await open?.end().catch(() => {})
  }
}
