import { execFileSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An RSA key and a self-signed certificate, created by openssl. */
export function makeKey(name: string, days = 2) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-'))
  try {
    const key = join(folder, 'key.pem')
    const certificate = execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key].concat([
        '-subj',
        `/CN=${name}`,
        '-days',
        String(days),
      ]),
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const pem = readFileSync(key, 'utf8')
    return { pem, privateKey: createPrivateKey(pem), certificate }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
