import { createCipheriv, createDecipheriv, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Queryable } from './db/index.ts'
import { sql } from './db/sql.ts'
import { OperatorError } from './errors.ts'
import { newId } from './ids.ts'
import { secretFile } from './postgres/data-directory.ts'

const ALGORITHM = 'aes-256-gcm'
const IV = 12
const TAG = 16

export const sha256 = (value: string | Buffer): Buffer => hash('sha256', value, 'buffer')

/** Constant-time comparison, also for different lengths. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b))

export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(IV)
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV)).setAAD(
    Buffer.from(context),
  )
  decipher.setAuthTag(sealed.subarray(-TAG))
  return Buffer.concat([decipher.update(sealed.subarray(IV, -TAG)), decipher.final()])
}

export const wrapKey = (master: Buffer, id: string, key: Buffer): Buffer =>
  encrypt(master, key, `data-key ${id}`)
export function unwrapKey(master: Buffer, id: string, wrapped: Buffer): Buffer {
  try {
    return decrypt(master, wrapped, `data-key ${id}`)
  } catch {
    throw new OperatorError('The master key is not the one this database was sealed with')
  }
}

export const MASTER_KEY_FILE = 'master.key'

/** The setting, or a key file in the data directory, created on first use. */
export const readMasterKey = (setting: Buffer | undefined, dataDir: string): Buffer =>
  setting ??
  Buffer.from(
    secretFile(dataDir, MASTER_KEY_FILE, () => randomBytes(32).toString('base64')),
    'base64',
  )

/** For existing secrets only: a newly created key could not open them. */
export function existingMasterKey(setting: Buffer | undefined, dataDir: string): Buffer {
  const file = join(dataDir, MASTER_KEY_FILE)
  if (setting === undefined && !existsSync(file)) {
    throw new OperatorError(
      `There is no master key: GATEHOUSE_MASTER_KEY is not set and ${file} does not exist`,
    )
  }
  return readMasterKey(setting, dataDir)
}

interface DataKeyRow {
  id: string
  wrapped: Buffer
}

/**
 * Seals secrets that must be read back (TOTP seeds, private keys, tokens of other services) with envelope encryption:
 * AES-256-GCM under a data key, which is stored wrapped by the master key. A sealed value names its data key, so values
 * under an older key stay readable during `keys rotate`.
 */
export class Sealer {
  readonly #master: Buffer
  readonly #db: Queryable
  readonly #keys = new Map<string, Buffer>()

  private constructor(master: Buffer, db: Queryable) {
    this.#master = master
    this.#db = db
  }

  /** Throws when the master key does not open the stored data keys. */
  static async open(master: Buffer, db: Queryable): Promise<Sealer> {
    const sealer = new Sealer(master, db)
    await sealer.reload()
    if (sealer.#keys.size === 0) await sealer.addKey()
    return sealer
  }

  /** Loads keys added by other processes; the newest one seals from then on. */
  async reload(): Promise<void> {
    const rows = await this.#db.many<DataKeyRow>(
      sql`select id, wrapped from data_keys order by created, id`,
    )
    for (const { id, wrapped } of rows) this.#keys.set(id, unwrapKey(this.#master, id, wrapped))
  }

  /** Adds a data key, which seals from now on. */
  async addKey(): Promise<string> {
    const id = newId()
    const key = randomBytes(32)
    await this.#db.run(
      sql`insert into data_keys (id, wrapped) values (${id}, ${wrapKey(this.#master, id, key)})`,
    )
    this.#keys.set(id, key)
    return id
  }

  /** The key used for sealing. */
  get currentKeyId(): string {
    return [...this.#keys.keys()].at(-1)!
  }

  /** `context` binds the value to its row (as AAD), so that it cannot be copied to another row unnoticed. */
  seal(plain: string, context: string): string {
    const id = this.currentKeyId
    const key = this.#keys.get(id)!
    return `${id}.${encrypt(key, Buffer.from(plain), context).toString('base64url')}`
  }

  async unseal(sealed: string, context: string): Promise<string> {
    const [id = '', body = ''] = sealed.split('.')
    // Another process may have rotated the keys since our last reload.
    if (!this.#keys.has(id)) await this.reload()
    const key = this.#keys.get(id)
    if (!key) throw new Error(`Data key ${id} does not exist`)
    return decrypt(key, Buffer.from(body, 'base64url'), context).toString()
  }

  /** Seals the same value again under the newest key. */
  async reseal(sealed: string, context: string): Promise<string> {
    return this.seal(await this.unseal(sealed, context), context)
  }
}
