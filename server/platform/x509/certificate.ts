import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { promisify } from 'node:util'
import { invalid } from '../errors.ts'
import {
  bitString,
  boolean,
  integer,
  nothing,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der.ts'

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  certificate: string
  privateKey: string
}

const YEARS = 5
const BITS = 2048

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
}

const nameOf = (parts: [oid: string, text: string][]): Buffer =>
  sequence(...parts.map(([oid, text]) => set(sequence(objectIdentifier(oid), utf8String(text)))))

const extension = (oid: string, critical: boolean, value: Buffer): Buffer =>
  sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value))

export function yearsLater(date: Date, years: number): Date {
  const later = new Date(date)
  later.setUTCFullYear(later.getUTCFullYear() + years)
  return later
}

/** RFC 5280 §4.1.2: X.520 names are limited to 64 characters. */
const shortened = (text: string): string => [...text].slice(0, 64).join('')

/** RFC 5280 §4.1.2: TBSCertificate. */
function toBeSigned(publicKey: KeyObject, name: string, organization: string, from: Date): Buffer {
  const algorithm = sequence(objectIdentifier(OID.sha256WithRsa), nothing())
  const subject = nameOf([
    [OID.organization, shortened(organization)],
    [OID.commonName, shortened(name)],
  ])
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const keyId = createHash('sha1')
    .update(publicKey.export({ type: 'pkcs1', format: 'der' }))
    .digest()
  return sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    algorithm,
    subject,
    sequence(time(from), time(yearsLater(from, YEARS))),
    subject,
    spki,
    tagged(
      3,
      sequence(
        extension(OID.basicConstraints, true, sequence()),
        // Only the first bit, digitalSignature.
        extension(OID.keyUsage, true, bitString(Buffer.from([0x80]), 7)),
        extension(OID.subjectKeyIdentifier, false, octetString(keyId)),
      ),
    ),
  )
}

const pem = (der: Buffer): string => new X509Certificate(der).toString()

/** Self-signed, valid for five years. The key is generated and used on the thread pool. */
export async function makeKeyPair(name: string, organization: string, now: Date): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: BITS,
  })
  const body = toBeSigned(publicKey, name, organization, now)
  const signature = await promisify(sign)('RSA-SHA256', body, privateKey)
  const algorithm = sequence(objectIdentifier(OID.sha256WithRsa), nothing())
  return {
    certificate: pem(sequence(body, algorithm, bitString(signature))),
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

/** PEM, or base64 of a PEM or DER file, as clients upload it. */
function decoded(text: string): string | Buffer {
  const trimmed = text.trim()
  if (trimmed.startsWith('-----')) return trimmed
  const bytes = Buffer.from(trimmed, 'base64')
  const inner = bytes.toString('latin1').trim()
  return inner.startsWith('-----') ? inner : bytes
}

/** Parses an uploaded certificate. */
export function readCertificate(text: string, field: string): X509Certificate {
  try {
    return new X509Certificate(decoded(text))
  } catch (cause) {
    throw invalid('bad_certificate', `${field}: not an X.509 certificate`, { cause })
  }
}

const isRsa = ({ publicKey }: X509Certificate): boolean => publicKey.asymmetricKeyType === 'rsa'
const bitsOf = ({ publicKey }: X509Certificate): number =>
  publicKey.asymmetricKeyDetails?.modulusLength ?? 0

/** Low, because service providers renew slowly; a shorter key cannot wrap a content key. */
export const MIN_PARTNER_BITS = 1024
/** Whether a key of a service provider can verify signatures and encrypt. */
export const isUsableKey = (certificate: X509Certificate): boolean =>
  isRsa(certificate) && bitsOf(certificate) >= MIN_PARTNER_BITS

/** Parses an uploaded file of one or more certificates. */
export function readCertificates(text: string, field: string): X509Certificate[] {
  const blocks = String(decoded(text)).match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g)
  return (blocks ?? [text]).map((block) => readCertificate(block, field))
}

/** Parses an uploaded certificate and key: they must match and be suitable for signing. */
export function readKeyPair(
  certificateText: string,
  keyText: string,
  fields: { certificate: string; privateKey: string },
  now: Date,
): KeyPair {
  const certificate = readCertificate(certificateText, fields.certificate)
  if (!isRsa(certificate) || bitsOf(certificate) < BITS)
    throw invalid(
      'bad_certificate',
      `${fields.certificate}: its key must be RSA with at least ${BITS} bits`,
    )
  if (certificate.validToDate <= now)
    throw invalid('bad_certificate', `${fields.certificate}: expired on ${certificate.validTo}`)
  let key: KeyObject
  try {
    const decodedKey = decoded(keyText)
    key =
      typeof decodedKey === 'string'
        ? createPrivateKey(decodedKey)
        : createPrivateKey({ key: decodedKey, format: 'der', type: 'pkcs8' })
  } catch (cause) {
    // OpenSSL's error contains no part of the key.
    const message = `${fields.privateKey}: not a private key, or it requires a passphrase`
    throw invalid('bad_private_key', message, { cause })
  }
  if (!certificate.checkPrivateKey(key))
    throw invalid('key_mismatch', `${fields.privateKey}: does not belong to the certificate`)
  return {
    certificate: certificate.toString(),
    privateKey: String(key.export({ type: 'pkcs8', format: 'pem' })),
  }
}

interface CertificateFacts {
  fingerprint: string
  notBefore: Date
  notAfter: Date
}

export function describeCertificate(text: string): CertificateFacts {
  const certificate = new X509Certificate(text)
  return {
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
  }
}
