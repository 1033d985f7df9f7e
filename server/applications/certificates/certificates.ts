import type { Caller } from '../../platform/caller.ts'
import type { Queryable, Tx } from '../../platform/db/index.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { getApplicationRow, lockedApplication, saveChange } from '../actions.ts'
import type { ApplicationContext } from '../context.ts'
import { planPromotion } from '../promotion.ts'
import type { ApplicationCertificate, CertificatePost } from '../schema.ts'
import type { ApplicationRow } from '../store.ts'
import { keepKeyPair, newKeyPair, sentKeyPair } from './key-pairs.ts'
import { type CertificateRow, readCertificates, readFetches } from './store.ts'

// Rotation: the metadata publishes the next certificate while the current one still signs. Then the next one is promoted,
// manually or on a date; the old one is kept as the previous certificate for a rollback.

const FIELDS = { certificate: 'certificate', privateKey: 'privateKey' }

const noNext = () =>
  notFound(
    'no_next_certificate',
    'There is no next certificate; add one, or roll back to the previous certificate',
  )
const noSso = () =>
  invalid('no_certificates', 'A bookmark has no certificates, because it has no single sign-on')

type Role = ApplicationCertificate['role']

const rolesOf = (row: ApplicationRow): [Role, string | null][] => [
  ['current', row.certificate_id],
  ['next', row.next_certificate_id],
  ['previous', row.previous_certificate_id],
]

async function describe(
  db: Queryable,
  organizationId: string,
  row: ApplicationRow,
): Promise<ApplicationCertificate[]> {
  const certificates = await readCertificates(db, organizationId, row.id)
  const fetches = await readFetches(db, organizationId, row.id)
  return rolesOf(row).flatMap(([role, id]) => {
    const found = certificates.find((certificate: CertificateRow) => certificate.id === id)
    if (!found) return []
    return {
      id: found.id,
      role,
      certificate: found.certificate,
      fingerprint: found.fingerprint,
      notBefore: found.not_before,
      notAfter: found.not_after,
      created: found.created,
      ...(role === 'next' && { promoteAt: row.promote_at }),
      fetchedBy: fetches
        .filter(({ certificate_id }) => certificate_id === found.id)
        .map(({ address, user_agent, first_at, last_at }) => ({
          address,
          userAgent: user_agent,
          firstAt: first_at,
          lastAt: last_at,
        })),
    }
  })
}

export async function listCertificates(
  { db }: ApplicationContext,
  { organizationId }: Caller,
  id: string,
): Promise<ApplicationCertificate[]> {
  const tenant = db.tenant(organizationId)
  return describe(tenant, organizationId, await getApplicationRow(tenant, organizationId, id))
}

/** Loads, changes and saves the application with its event; returns the resulting certificates. */
function change(
  context: Pick<ApplicationContext, 'db' | 'changed'>,
  caller: Caller,
  id: string,
  decide: (before: ApplicationRow, tx: Tx) => ApplicationRow | Promise<ApplicationRow>,
): Promise<ApplicationCertificate[]> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const before = await lockedApplication(tx, organizationId, id)
    if (before.certificate_id === null) throw noSso()
    const after = await decide(before, tx)
    await saveChange(context, tx, caller, before, after)
    return describe(tx, organizationId, after)
  })
}

/** Normalized to milliseconds, the stored precision; null for none. */
function readDate(field: string, value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null
  const date = new Date(value)
  if (date <= new Date()) throw invalid('date_in_the_past', `${field}: must be in the future`)
  return date.toISOString()
}

/** It does not sign yet, but service providers see it in the metadata. */
export async function addNextCertificate(
  context: ApplicationContext,
  caller: Caller,
  id: string,
  body: CertificatePost,
): Promise<ApplicationCertificate[]> {
  const { organizationId } = caller
  const promoteAt = readDate('promoteAt', body.promoteAt)
  const known = await getApplicationRow(context.db.tenant(organizationId), organizationId, id)
  if (known.certificate_id === null) throw noSso()
  const pair =
    sentKeyPair(body.certificate ?? '', body.privateKey ?? '', FIELDS) ??
    (await newKeyPair(context, organizationId, known.slug ?? id))
  return change(context, caller, id, async (before, tx) => {
    if (before.next_certificate_id !== null)
      throw conflict('next_certificate_exists', 'The application already has a next certificate')
    const { id: next } = await keepKeyPair(context, tx, organizationId, id, pair)
    const after = { ...before, next_certificate_id: next, promote_at: promoteAt }
    await planPromotion(context, tx, organizationId, after)
    return after
  })
}

export const removeNextCertificate = (
  context: ApplicationContext,
  caller: Caller,
  id: string,
): Promise<ApplicationCertificate[]> =>
  change(context, caller, id, (before) => {
    if (before.next_certificate_id === null) throw noNext()
    return { ...before, next_certificate_id: null, promote_at: null }
  })

/** The next certificate signs from now on. */
function promoted(before: ApplicationRow): ApplicationRow {
  return {
    ...before,
    certificate_id: before.next_certificate_id,
    next_certificate_id: null,
    previous_certificate_id: before.certificate_id,
    promote_at: null,
  }
}

/** At once, or on a date; a new date replaces the old one. */
export const promoteCertificate = (
  context: ApplicationContext,
  caller: Caller,
  id: string,
  at: string | null | undefined,
): Promise<ApplicationCertificate[]> => {
  const promoteAt = readDate('at', at)
  return change(context, caller, id, async (before, tx) => {
    if (before.next_certificate_id === null) throw noNext()
    if (promoteAt === null) return promoted(before)
    const after = { ...before, promote_at: promoteAt }
    await planPromotion(context, tx, caller.organizationId, after)
    return after
  })
}

/** For the job: does nothing if the promotion is no longer planned for this time. */
export const promoteAsPlanned = (
  context: Pick<ApplicationContext, 'db' | 'changed'>,
  caller: Caller,
  id: string,
  certificateId: string,
  at: string,
): Promise<ApplicationCertificate[]> =>
  change(context, caller, id, (before) =>
    before.next_certificate_id === certificateId && before.promote_at === at
      ? promoted(before)
      : before,
  )

/** Rollback: swaps the current and the previous certificate. */
export const returnToPrevious = (
  context: ApplicationContext,
  caller: Caller,
  id: string,
): Promise<ApplicationCertificate[]> =>
  change(context, caller, id, (before) => {
    if (before.previous_certificate_id === null)
      throw notFound('no_previous_certificate', 'The application has no previous certificate')
    return {
      ...before,
      certificate_id: before.previous_certificate_id,
      previous_certificate_id: before.certificate_id,
    }
  })
