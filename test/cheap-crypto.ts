import crypto, { type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

// Loaded into each test process before its file. Fixtures hash a password for every administrator and generate a key
// for every application, both slow on purpose. Here the algorithms are the same, but a hash takes one pass, and RSA
// keys are reused. The service has no setting for this: programs that tests start as child processes run at full cost.

const argon2: typeof import('@node-rs/argon2') = createRequire(import.meta.url)('@node-rs/argon2')
const { hash } = argon2
Object.assign(argon2, {
  hash: (password: string, options: object) =>
    hash(password, { ...options, memoryCost: 64, timeCost: 1 }),
})

/** More than one test needs at the same time, the forty systems of the demo included: keys that must differ do. */
const DISTINCT_KEYS = 64
const generate = promisify(crypto.generateKeyPair)
const keys: Promise<KeyPairKeyObjectResult>[] = []
let uses = 0

/** From the directory of the test run, where the first process that needs a key puts it. */
async function keyPair(at: number): Promise<KeyPairKeyObjectResult> {
  const file = join(process.env.TEST_KEYS!, `${at}.pem`)
  if (existsSync(file)) {
    const privateKey = crypto.createPrivateKey(readFileSync(file))
    return { privateKey, publicKey: crypto.createPublicKey(privateKey) }
  }
  const made = await generate('rsa', { modulusLength: 2048 })
  const own = `${file}.${process.pid}`
  writeFileSync(own, made.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  renameSync(own, file)
  return made
}

const encoded = (key: KeyObject, encoding?: crypto.KeyExportOptions<'pem'>) =>
  encoding ? key.export(encoding) : key

async function reuseKeyPair(type: 'rsa', options: crypto.RSAKeyPairOptions<'pem', 'pem'>) {
  if (type !== 'rsa' || options.modulusLength !== 2048) return generate(type, options)
  const at = uses++ % DISTINCT_KEYS
  keys[at] ??= keyPair(at)
  const { publicKey, privateKey } = await keys[at]
  return {
    publicKey: encoded(publicKey, options.publicKeyEncoding),
    privateKey: encoded(privateKey, options.privateKeyEncoding),
  }
}

const { generateKeyPair } = crypto
Object.assign(crypto, {
  generateKeyPair: Object.assign(generateKeyPair.bind(null), { [promisify.custom]: reuseKeyPair }),
})
syncBuiltinESMExports()
