import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type pg from 'pg'
import type { Connection } from './db/index.ts'
import { type Listener, listen } from './db/listen.ts'
import { messageOf } from './errors.ts'
import type { Logger } from './log.ts'
import type { Sealer } from './secrets.ts'

export const KEYS_CHANNEL = 'gatehouse_keys'
/** Namespace of this file's advisory locks, so that they cannot collide with others. */
const LOCK_CLASS = 47_182_360

/**
 * A process that seals with a data key holds its lock shared. Deleting the key takes the lock exclusively, and so waits
 * until no process can seal with it any more.
 */
export const keyLock = (keyId: string): [number, number] => [LOCK_CLASS, crc32(keyId) | 0]

/** A value sealed just before the rotation may not be committed yet. */
const GRACE_MS = 500

/**
 * Keeps the keys of a long-running process in sync with `gatehouse keys rotate` in another process, until the returned
 * function is called.
 */
export function followKeys(
  connection: Connection,
  sealer: Sealer,
  log: Logger,
): Promise<() => Promise<void>> {
  let client: pg.Client | null = null
  /** The key whose lock this connection holds. */
  let held: string | null = null
  // Sequentially: two runs could both release the same lock.
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
      const notified = client
      queue = queue.then(follow).catch((error) => {
        if (client === notified)
          log.error({ reason: messageOf(error) }, 'cannot reload the data keys')
      })
    },
    onLost() {
      client = null
    },
  }
  return listen(connection, KEYS_CHANNEL, listener, log)
}
