import { findOrganization } from '../../organizations/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import {
  describeCertificate,
  type KeyPair,
  makeKeyPair,
  readCertificate,
  readKeyPair,
} from '../../platform/x509/certificate.ts'
import { type ApplicationContext, sealContext } from '../context.ts'
import { type CertificateRow, insertCertificate } from './store.ts'

/** Field names for error messages; they differ between the routes. */
interface PairFields {
  certificate: string
  privateKey: string
}

/** Call before opening the transaction: generating a key is slow. */
export async function newKeyPair(
  { db }: Pick<ApplicationContext, 'db'>,
  organizationId: string,
  name: string,
): Promise<KeyPair> {
  const organization = await findOrganization(db, organizationId)
  return makeKeyPair(name, organization?.name || 'Gatehouse', new Date())
}

/** The key pair in the request. Null: none. */
export function sentKeyPair(
  certificate: string,
  privateKey: string,
  fields: PairFields,
): KeyPair | null {
  if (certificate === '' && privateKey === '') return null
  if (certificate === '')
    throw invalid('certificate_missing', `${fields.certificate}: is required with a private key`)
  if (privateKey === '')
    throw invalid('key_missing', `${fields.privateKey}: is required with a certificate`)
  return readKeyPair(certificate, privateKey, fields, new Date())
}

/** Whether the sent certificate is the one already in use: clients send back the record they read. */
export const isCertificate = (sent: string, fields: PairFields, pem: string | undefined): boolean =>
  pem !== undefined && sent !== '' && readCertificate(sent, fields.certificate).toString() === pem

/** Stores the certificate with its sealed private key. */
export async function keepKeyPair(
  { sealer }: Pick<ApplicationContext, 'sealer'>,
  tx: Tx,
  organizationId: string,
  applicationId: string,
  { certificate, privateKey }: KeyPair,
): Promise<Omit<CertificateRow, 'warned_days' | 'created'>> {
  const id = newId()
  const { fingerprint, notBefore, notAfter } = describeCertificate(certificate)
  const row = {
    id,
    certificate,
    private_key: sealer.seal(privateKey, sealContext(id)),
    fingerprint,
    not_before: notBefore.toISOString(),
    not_after: notAfter.toISOString(),
  }
  await insertCertificate(tx, organizationId, applicationId, row)
  return row
}
