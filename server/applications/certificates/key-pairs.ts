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

/** As a person reads them; the names differ between the routes. */
interface PairFields {
  certificate: string
  privateKey: string
}

/** Before the transaction opens: to make a key takes a while. */
export async function newKeyPair(
  { db }: Pick<ApplicationContext, 'db'>,
  organizationId: string,
  name: string,
): Promise<KeyPair> {
  const organization = await findOrganization(db, organizationId)
  return makeKeyPair(name, organization?.name || 'Gatehouse', new Date())
}

/** The pair that was sent. Null: none was. */
export function sentKeyPair(
  certificate: string,
  privateKey: string,
  fields: PairFields,
): KeyPair | null {
  if (certificate === '' && privateKey === '') return null
  if (certificate === '')
    throw invalid('certificate_missing', `${fields.certificate}: is required with a key`)
  if (privateKey === '')
    throw invalid('key_missing', `${fields.privateKey}: is required with a certificate of your own`)
  return readKeyPair(certificate, privateKey, fields, new Date())
}

/** Whether a record was sent back with the certificate that is in use already. */
export const isCertificate = (sent: string, fields: PairFields, pem: string | undefined): boolean =>
  pem !== undefined && sent !== '' && readCertificate(sent, fields.certificate).toString() === pem

/** The certificate with its key, sealed. */
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
