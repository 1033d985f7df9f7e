import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '../debian.ts'

// xmllint and xmlsec1: independent judges of the XML that we write.

if (!existsSync('/usr/bin/xmlsec1') || !existsSync('/usr/bin/xmllint'))
  installPackages('xmlsec1 and xmllint', 'xmlsec1', 'libxml2-utils')

function inFolder<T>(files: Record<string, string>, use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-xml-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The exclusive canonical form of a document, by libxml2. */
export const canonical = (xml: string): string =>
  execFileSync('xmllint', ['--exc-c14n', '-'], { input: xml, encoding: 'utf8' })

/** Whether the signature of the element with this name (and every digest it holds) is good under the certificate. */
export const verifies = (xml: string, certificatePem: string, signed: string): boolean =>
  inFolder({ 'message.xml': xml, 'certificate.pem': certificatePem }, (folder) => {
    const [, prefix = '', name = ''] = /^(\w+):(\w+)$/.exec(signed)!
    const namespace = {
      saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
      samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
    }[prefix]
    const { status } = spawnSync('xmlsec1', [
      '--verify',
      ...['--pubkey-cert-pem', join(folder, 'certificate.pem')],
      ...['--enabled-key-data', 'rsa'],
      ...['--id-attr:ID', `${namespace}:${name}`],
      ...[
        '--node-xpath',
        `//*[local-name()='${name}' and namespace-uri()='${namespace}']/*[local-name()='Signature']`,
      ],
      join(folder, 'message.xml'),
    ])
    return status === 0
  })

/** The document with what was encrypted put in its place. */
export const decrypted = (xml: string, privateKeyPem: string): string =>
  inFolder({ 'message.xml': xml, 'key.pem': privateKeyPem }, (folder) =>
    execFileSync(
      'xmlsec1',
      ['--decrypt', '--privkey-pem', join(folder, 'key.pem'), join(folder, 'message.xml')],
      // It complains that nobody vouches for the certificate beside the key.
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    ),
  )
