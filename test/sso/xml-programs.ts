import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '../debian.ts'

// xmllint with the schemas of the standard, and xmlsec1: independent checks of the XML that we write.

const OPENSAML = '/usr/share/xml/opensaml'
const XMLTOOLING = '/usr/share/xml/xmltooling'
const NEEDED = ['/usr/bin/xmlsec1', '/usr/bin/xmllint', OPENSAML, XMLTOOLING]
if (!NEEDED.every(existsSync))
  installPackages(
    'xmlsec1, xmllint and the SAML schemas',
    ...['xmlsec1', 'libxml2-utils', 'opensaml-schemas', 'xmltooling-schemas'],
  )

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

/** Whether the signature of the element with this name, and all its digests, are valid under the certificate. */
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

/** The document with encrypted elements decrypted in place. */
export const decrypted = (xml: string, privateKeyPem: string): string =>
  inFolder({ 'message.xml': xml, 'key.pem': privateKeyPem }, (folder) =>
    execFileSync(
      'xmlsec1',
      ['--decrypt', '--privkey-pem', join(folder, 'key.pem'), join(folder, 'message.xml')],
      // Ignore its warning that the certificate is untrusted.
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    ),
  )

/** The schemas import each other by URL; these are the files. */
const CATALOG = `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<system systemId="http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd" uri="file://${XMLTOOLING}/xmldsig-core-schema.xsd"/>
<system systemId="http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd" uri="file://${XMLTOOLING}/xenc-schema.xsd"/>
<system systemId="http://www.w3.org/2001/xml.xsd" uri="file://${XMLTOOLING}/xml.xsd"/>
</catalog>`

/** Schema violations of a SAML 2.0 document; empty if valid. */
export const schemaErrors = (xml: string, schema: 'protocol' | 'metadata'): string =>
  inFolder({ 'message.xml': xml, 'catalog.xml': CATALOG }, (folder) => {
    const { status, stderr } = spawnSync(
      'xmllint',
      ['--nonet', '--noout', '--schema', `${OPENSAML}/saml-schema-${schema}-2.0.xsd`].concat(
        join(folder, 'message.xml'),
      ),
      { encoding: 'utf8', env: { ...process.env, XML_CATALOG_FILES: join(folder, 'catalog.xml') } },
    )
    return status === 0 ? '' : stderr
  })
