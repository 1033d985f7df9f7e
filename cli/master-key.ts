import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../server/platform/config.ts'
import type { Db } from '../server/platform/db/index.ts'
import { sql } from '../server/platform/db/sql.ts'
import { messageOf, OperatorError } from '../server/platform/errors.ts'
import { writeWhole } from '../server/platform/files.ts'
import { MASTER_KEY_FILE, unwrapKey, wrapKey } from '../server/platform/secrets.ts'

export function readKeyFile(file: string): Buffer {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new OperatorError(
      `The new master key cannot be read: ${messageOf(error)}; create one with: openssl rand -base64 32`,
    )
  }
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32) throw new OperatorError(`${file} must contain 32 bytes in base64`)
  return key
}

function opens(master: Buffer, id: string, wrapped: Buffer): Buffer | null {
  try {
    return unwrapKey(master, id, wrapped)
  } catch {
    return null
  }
}

/**
 * Encrypts every data key under the new master key. Skips those that already are, so it can be repeated after a
 * crash between the database and the file.
 */
const rewrapKeys = (db: Db, old: Buffer, fresh: Buffer): Promise<number> =>
  db.tx(null, async (tx) => {
    const rows = await tx.many<{ id: string; wrapped: Buffer }>(
      sql`select id, wrapped from data_keys order by id for update`,
    )
    let changed = 0
    for (const { id, wrapped } of rows) {
      if (opens(fresh, id, wrapped)) continue
      const key = unwrapKey(old, id, wrapped)
      changed += await tx.run(
        sql`update data_keys set wrapped = ${wrapKey(fresh, id, key)} where id = ${id}`,
      )
    }
    return changed
  })

/** Atomic and synced to disk: a crash leaves the old key or the new one, never a partial file. */
async function replaceKeyFile(dataDir: string, key: Buffer): Promise<string> {
  const file = join(dataDir, MASTER_KEY_FILE)
  await writeWhole(file, (handle) => handle.writeFile(key.toString('base64')))
  return file
}

/** The file that now holds the new key, or null when the key comes from a setting the operator must change. */
export async function rotateMasterKey(db: Db, config: Config, old: Buffer, fresh: Buffer) {
  const rewrapped = await rewrapKeys(db, old, fresh)
  const file = config.masterKey === undefined ? await replaceKeyFile(config.dataDir, fresh) : null
  return { rewrapped, file }
}
