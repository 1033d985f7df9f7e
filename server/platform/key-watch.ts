import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type pg from 'pg'
import type { Connection } from './db/index.ts'
import { type Listener, listen } from './db/listen.ts'
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
 * returned function is called.
 */
export function followKeys(
  connection: Connection,
  sealer: Sealer,
  log: Logger,
): Promise<() => Promise<void>> {
  let client: pg.Client | null = null
  /** The key whose lock this connection holds. */
  let held: string | null = null
  // One after the other, or two could both let go of the same lock.
  let queue = Promise.resolve()

  const follow = async (): Promise<void> => {
    const open = client
    if (!open) return
    await sealer.reload()
    const before = held
    const now = sealer.currentKeyId
    if (now === before) return
    await open.query('select pg_advisory_lock_shared($1, $2)', keyLock(now))
    held = now
    if (before === null) return
    await delay(GRACE_MS)
    await open.query('select pg_advisory_unlock_shared($1, $2)', keyLock(before))
  }

  const listener: Listener = {
    onConnect(connected) {
      client = connected
      held = null
      return follow()
    },
    onNews() {
      const told = client
      queue = queue.then(follow).catch((error) => {
        if (client === told) log.error({ reason: messageOf(error) }, 'data keys cannot be read')
      })
    },
    onLost() {
      client = null
    },
  }
  return listen(connection, KEYS_CHANNEL, listener, log)
}
