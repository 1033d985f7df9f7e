import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Db } from '../platform/db/index.ts'
import { isId } from '../platform/ids.ts'
import { templateOf, valuesOf } from './catalogue.ts'
import { type SsoContext, sealContext } from './context.ts'
import { readSsoConfig, type SsoConfig } from './sso-config.ts'
import {
  findSlug,
  findSsoRow,
  type SsoCertificateRow,
  type SsoRow,
  saveFetches,
} from './sso-store.ts'

export interface SsoCertificate {
  id: string
  pem: string
  notAfter: Date
  privateKey: KeyObject
}

/** A SAML application. */
export interface SsoApplication {
  organizationId: string
  id: string
  /** The template. */
  name: string
  displayName: string
  displayLabel: string
  /** As sent by the administrator; also recorded in events. */
  ssoUrl: string
  slug: string
  active: boolean
  config: SsoConfig
  certificates: SsoCertificates
}

/** LRU cache of parsed keys by certificate id; a certificate never changes. */
const keys = new Map<string, KeyObject>()
const MAX_KEYS = 2000

async function privateKeyOf({ sealer }: SsoContext, row: SsoCertificateRow): Promise<KeyObject> {
  const key =
    keys.get(row.id) ?? createPrivateKey(await sealer.unseal(row.private_key, sealContext(row.id)))
  keys.delete(row.id)
  keys.set(row.id, key)
  if (keys.size > MAX_KEYS) keys.delete(keys.keys().next().value!)
  return key
}

/** `current` signs; all are published, so that promotion and rollback work without new metadata. */
export interface SsoCertificates {
  current: SsoCertificate
  next?: SsoCertificate
  previous?: SsoCertificate
}

export const allCertificates = ({ current, next, previous }: SsoCertificates): SsoCertificate[] =>
  [current, next, previous].filter((certificate) => certificate !== undefined)

export async function certificatesOf(
  context: SsoContext,
  row: SsoRow,
): Promise<SsoCertificates | undefined> {
  const read = async (id: string | null): Promise<SsoCertificate | undefined> => {
    const found = row.certificates.find((certificate) => certificate.id === id)
    if (!found) return undefined
    const privateKey = await privateKeyOf(context, found)
    const notAfter = new Date(found.not_after)
    return { id: found.id, pem: found.certificate, notAfter, privateKey }
  }
  const [current, next, previous] = await Promise.all([
    read(row.certificate_id),
    read(row.next_certificate_id),
    read(row.previous_certificate_id),
  ])
  return current && { current, ...(next && { next }), ...(previous && { previous }) }
}

export const metadataUrl = (publicUrl: string, slug: string): string =>
  `${publicUrl}/saml2/${slug}/metadata`

export async function findSsoApplicationById(
  context: SsoContext,
  organizationId: string,
  id: string,
): Promise<SsoApplication | undefined> {
  if (!isId(id)) return undefined
  const row = await findSsoRow(context.db.tenant(organizationId), organizationId, id)
  if (!row || row.slug === null) return undefined
  const certificates = await certificatesOf(context, row)
  if (!certificates) return undefined
  const values = valuesOf(templateOf(row.name), row.config)
  return {
    organizationId,
    id,
    name: row.name,
    displayName: row.display_name,
    displayLabel: row.display_label,
    ssoUrl: row.sso_url,
    slug: row.slug,
    active: row.active,
    config: readSsoConfig(values),
    certificates,
  }
}

/** Caches the application of a slug; every use checks that the slug is still its own. */
const slugs = new Map<string, [organizationId: string, id: string]>()
const MAX_SLUGS = 10_000

/** Of any tenant: at first, a request identifies only the slug. */
export async function findSsoApplication(
  context: SsoContext,
  slug: string,
): Promise<SsoApplication | undefined> {
  const key = slug.toLowerCase()
  const before = slugs.get(key)
  const application = before && (await findSsoApplicationById(context, ...before))
  if (application?.slug.toLowerCase() === key) return application
  const found = await findSlug(context.db, key)
  if (!found) return undefined
  if (slugs.size >= MAX_SLUGS) slugs.clear()
  slugs.set(key, [found.tenant, found.application_id])
  return findSsoApplicationById(context, found.tenant, found.application_id)
}

interface MetadataFetch {
  address: string
  userAgent: string
  /** Ids of the certificates in the document. */
  certificates: string[]
}

/** Lets the administrator see whether a service provider has loaded the next certificate. */
export const noteMetadataFetched = (
  db: Db,
  { organizationId, id }: Pick<SsoApplication, 'organizationId' | 'id'>,
  { address, userAgent, certificates }: MetadataFetch,
): Promise<void> =>
  db.tx(organizationId, (tx) =>
    saveFetches(tx, organizationId, id, certificates, address, userAgent.slice(0, 256)),
  )
