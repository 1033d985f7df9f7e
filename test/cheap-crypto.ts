import crypto, { type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setRefusalTime } from '../server/platform/sign-in-rules.ts'

// Loaded into each test process before its file. Fixtures hash a password for every administrator and generate a key
// for every application, both slow on purpose. Here the algorithms are the same, but a hash takes one pass, and RSA
// keys are reused; a refused sign-in takes no longer than its work. The service has no setting for this: programs that
// tests start as child processes run at full cost.

const argon2: typeof import('@node-rs/argon2') = createRequire(import.meta.url)('@node-rs/argon2')
const { hash } = argon2
Object.assign(argon2, {
  hash: (password: string, options: object) =>
    hash(password, { ...options, memoryCost: 64, timeCost: 1 }),
})

/** More than one test needs at the same time, the forty systems of the demo included: keys that must differ do. */
const DISTINCT_KEYS = 64
const { generateKeyPair, generateKeyPairSync } = crypto
const generate = promisify(generateKeyPair)
type RsaOptions = crypto.RSAKeyPairOptions<'pem', 'pem'>
const keys: (KeyPairKeyObjectResult | undefined)[] = []
let uses = 0

const fileOf = (at: number): string => join(process.env.TEST_KEYS!, `${at}.pem`)

/** From the directory of keys, which outlives a run. */
function storedKey(at: number): KeyPairKeyObjectResult | undefined {
  if (!existsSync(fileOf(at))) return undefined
  const privateKey = crypto.createPrivateKey(readFileSync(fileOf(at)))
  return { privateKey, publicKey: crypto.createPublicKey(privateKey) }
}

/** The first process that needs a key stores it. */
function store(at: number, made: KeyPairKeyObjectResult): KeyPairKeyObjectResult {
  const own = `${fileOf(at)}.${process.pid}`
  writeFileSync(own, made.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  renameSync(own, fileOf(at))
  return made
}

const encoded = (key: KeyObject, encoding?: crypto.KeyExportOptions<'pem'>) =>
  encoding ? key.export(encoding) : key

const encodedPair = ({ publicKey, privateKey }: KeyPairKeyObjectResult, options: RsaOptions) => ({
  publicKey: encoded(publicKey, options.publicKeyEncoding),
  privateKey: encoded(privateKey, options.privateKeyEncoding),
})

const isReused = (type: string, { modulusLength }: RsaOptions): boolean =>
  type === 'rsa' && modulusLength === 2048

async function reuseKeyPair(type: 'rsa', options: RsaOptions) {
  if (!isReused(type, options)) return generate(type, options)
  const at = uses++ % DISTINCT_KEYS
  keys[at] ??= storedKey(at) ?? store(at, await generate('rsa', { modulusLength: 2048 }))
  return encodedPair(keys[at], options)
}

function reuseKeyPairSync(type: 'rsa', options: RsaOptions) {
  if (!isReused(type, options)) return generateKeyPairSync(type, options)
  const at = uses++ % DISTINCT_KEYS
  keys[at] ??= storedKey(at) ?? store(at, generateKeyPairSync('rsa', { modulusLength: 2048 }))
  return encodedPair(keys[at], options)
}

Object.assign(crypto, {
  generateKeyPair: Object.assign(generateKeyPair.bind(null), { [promisify.custom]: reuseKeyPair }),
  generateKeyPairSync: reuseKeyPairSync,
})
syncBuiltinESMExports()
setRefusalTime(0)
