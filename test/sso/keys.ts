import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An RSA key and a self-signed certificate, which openssl writes. */
export function makeKey(name: string, days = 2) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-'))
  try {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const key = join(folder, 'key.pem')
    writeFileSync(key, pem)
    const certificate = execFileSync(
      'openssl',
      ['req', '-x509', '-key', key, '-subj', `/CN=${name}`, '-days', String(days)],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    )
    return { pem, privateKey, certificate }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
