import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, sign, verify, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDirectory } from '../../../test/database.ts'
import { AppError } from '../errors.ts'
import {
  describeCertificate,
  type KeyPair,
  makeKeyPair,
  readKeyPair,
  yearsLater,
} from './certificate.ts'
import { integer, objectIdentifier, octetString, time } from './der.ts'

const now = new Date('2026-11-15T09:00:00Z')
const fields = { certificate: 'config.idpCertificate', privateKey: 'config.idpPrivateKey' }
const pair = await makeKeyPair('crm "Ümlaut" / ü', 'Example, Inc.', now)

const openssl = (...args: string[]): string => execFileSync('openssl', args, { encoding: 'utf8' })

test('DER: lengths, integers, object identifiers and times as in X.690', () => {
  const hex = (bytes: Buffer) => bytes.toString('hex')
  assert.equal(hex(integer(Buffer.from([0x80]))), '02020080')
  assert.equal(hex(integer(Buffer.from([0, 0, 0x7f]))), '02017f')
  assert.equal(hex(integer(Buffer.from([0]))), '020100')
  assert.equal(hex(objectIdentifier('1.2.840.113549.1.1.11')), '06092a864886f70d01010b')
  assert.equal(hex(octetString(Buffer.alloc(127))).slice(0, 4), '047f')
  assert.equal(hex(octetString(Buffer.alloc(128))).slice(0, 6), '048180')
  assert.equal(hex(octetString(Buffer.alloc(256))).slice(0, 8), '04820100')
  assert.equal(hex(octetString(Buffer.alloc(65_536))).slice(0, 10), '0483010000')
  assert.equal(time(new Date('2049-12-31T23:59:59Z')).toString('latin1', 2), '491231235959Z')
  assert.equal(time(new Date('2050-01-01T00:00:00Z')).toString('latin1', 2), '20500101000000Z')
})

test('a certificate is accepted by openssl: self-signed, RSA-2048, five years', () => {
  const file = join(tempDirectory(), 'certificate.pem')
  writeFileSync(file, pair.certificate)
  const then = String(now.getTime() / 1000 + 60)
  assert.match(openssl('verify', '-check_ss_sig', '-attime', then, '-CAfile', file, file), /: OK/)
  const text = openssl('x509', '-in', file, '-noout', '-text', '-nameopt', 'utf8')
  assert.match(text, /Version: 3/)
  assert.match(text, /sha256WithRSAEncryption/)
  assert.match(text, /\(2048 bit\)/)
  assert.match(text, /Not Before: Nov 15 09:00:00 2026 GMT/)
  assert.match(text, /Not After : Nov 15 09:00:00 2031 GMT/)
  assert.match(text, /CN\s*=\s*"?crm .*Ümlaut.* \/ ü/)
  assert.match(text, /Key Usage: critical\s+Digital Signature\n/)
  assert.match(text, /CA:FALSE/)
})

test('node reads the same, and the key signs for it', () => {
  const certificate = new X509Certificate(pair.certificate)
  assert.ok(certificate.verify(certificate.publicKey))
  const key = createPrivateKey(pair.privateKey)
  assert.ok(certificate.checkPrivateKey(key))
  const signature = sign('RSA-SHA256', Buffer.from('hello'), key)
  assert.ok(verify('RSA-SHA256', Buffer.from('hello'), certificate.publicKey, signature))
  const { fingerprint, notBefore, notAfter } = describeCertificate(pair.certificate)
  assert.match(fingerprint, /^[0-9a-f]{64}$/)
  assert.deepEqual([notBefore, notAfter], [now, yearsLater(now, 5)])
})

test('two certificates differ in serial and key', async () => {
  const other = new X509Certificate((await makeKeyPair('crm', 'Example', now)).certificate)
  assert.notEqual(other.serialNumber, new X509Certificate(pair.certificate).serialNumber)
})

test('a pair is accepted as PEM and as a base64 file, with the key in any format', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const der = (text: string) => text.replace(/-----[^-]+-----|\s/g, '')
  const key = createPrivateKey(pair.privateKey)
  const pkcs1 = String(key.export({ type: 'pkcs1', format: 'pem' }))
  const cases: [string, string][] = [
    [pair.certificate, pair.privateKey],
    [base64(pair.certificate), base64(pair.privateKey)],
    [der(pair.certificate), der(pair.privateKey)],
    [`\n${pair.certificate}\n`, pkcs1],
  ]
  for (const [certificate, privateKey] of cases)
    assert.deepEqual(readKeyPair(certificate, privateKey, fields, now), pair)
})

/** Made by openssl, with a kind of key that we never generate. */
function foreignPair(...args: string[]): KeyPair {
  const directory = tempDirectory()
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const subject = ['-subj', '/CN=foreign', '-days', '30']
  execFileSync(
    'openssl',
    ['req', '-x509', '-nodes', ...args, '-keyout', key, '-out', certificate, ...subject],
    { stdio: 'ignore' },
  )
  return {
    certificate: openssl('x509', '-in', certificate),
    privateKey: openssl('pkey', '-in', key),
  }
}

test('an unsuitable pair is rejected, and the field is named', () => {
  const encrypted = createPrivateKey(pair.privateKey).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  })
  const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const other = String(otherKey.export({ type: 'pkcs8', format: 'pem' }))
  const short = foreignPair('-newkey', 'rsa:1024')
  const curve = foreignPair('-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256')
  const later = yearsLater(now, 6)
  assert.throws(() => readKeyPair(pair.certificate, 'nonsense', fields, now), {
    reason: 'bad_private_key',
  })
  const cases: [string, string, RegExp, Date?][] = [
    ['nonsense', pair.privateKey, /^config\.idpCertificate: not an X\.509/],
    [pair.privateKey, pair.privateKey, /^config\.idpCertificate: not an X\.509/],
    [pair.certificate, 'nonsense', /^config\.idpPrivateKey: not a private key/],
    [pair.certificate, pair.certificate, /^config\.idpPrivateKey: not a private key/],
    [pair.certificate, String(encrypted), /^config\.idpPrivateKey: .*passphrase/],
    [pair.certificate, other, /^config\.idpPrivateKey: does not belong/],
    [short.certificate, short.privateKey, /^config\.idpCertificate: .*2048/],
    [curve.certificate, curve.privateKey, /^config\.idpCertificate: .*RSA/],
    [pair.certificate, pair.privateKey, /^config\.idpCertificate: expired/, later],
  ]
  for (const [certificate, key, message, at = now] of cases)
    assert.throws(
      () => readKeyPair(certificate, key, fields, at),
      (error) =>
        error instanceof AppError && error.kind === 'invalid' && message.test(error.message),
      String(message),
    )
})
