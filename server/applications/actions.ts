import { addNode, deleteNode, restoreNode } from '../graph/index.ts'
import { changesBetween, recordEvent, retentionDaysIn } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Queryable, Tx } from '../platform/db/index.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { isId, newId } from '../platform/ids.ts'
import type { KeyPair } from '../platform/x509/certificate.ts'
import { templateOf } from './catalogue.ts'
import { isCertificate, keepKeyPair, newKeyPair, sentKeyPair } from './certificates/key-pairs.ts'
import { certificatesById, deleteUnusedCertificates } from './certificates/store.ts'
import type { SentConfig } from './config.ts'
import type { ApplicationContext, SaveContext } from './context.ts'
import { planPromotion } from './promotion.ts'
import { auditFields, resourceOf, SECRETS, toApplication } from './records.ts'
import type { Application, ApplicationWrite } from './schema.ts'
import { badSsoUrl, MIN_KEPT_DAYS } from './slug.ts'
import {
  type ApplicationRow,
  findApplication,
  insertApplication,
  lockApplication,
  markDeleted,
  releaseSlug,
  saveApplication,
  takeSlug,
  unmarkDeleted,
} from './store.ts'
import { checkRequired, readWrite, templateFor, type Written } from './write.ts'

const FIELDS = { certificate: 'config.idpCertificate', privateKey: 'config.idpPrivateKey' }

const applicationNotFound = () =>
  notFound('application_not_found', 'Not Found: there is no such application')

const slugTaken = () => badSsoUrl('another application already uses this URL')

async function keepSlug(
  tx: Tx,
  { organization_id, id, slug }: Pick<ApplicationRow, 'organization_id' | 'id' | 'slug'>,
  taken = slugTaken,
): Promise<void> {
  if (slug !== null && !(await takeSlug(tx, organization_id, id, slug))) throw taken()
}

/** Service providers may keep sending users to the old URL, so another tenant cannot take it at once. */
async function giveUpSlug(tx: Tx, organizationId: string, id: string): Promise<void> {
  const days = Math.max(await retentionDaysIn(tx, organizationId), MIN_KEPT_DAYS)
  await releaseSlug(tx, organizationId, id, days)
}

export async function getApplicationRow(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ApplicationRow> {
  const row = isId(id) ? await findApplication(db, organizationId, id) : undefined
  if (!row) throw applicationNotFound()
  return row
}

export async function lockedApplication(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<ApplicationRow> {
  const row = isId(id) ? await lockApplication(tx, organizationId, id) : undefined
  if (!row) throw applicationNotFound()
  return row
}

/** Rows as API records, with their signing certificates read in one statement. */
export async function describeApplications(
  { publicUrl }: Pick<ApplicationContext, 'publicUrl'>,
  db: Queryable,
  organizationId: string,
  rows: ApplicationRow[],
): Promise<Application[]> {
  const ids = rows.map((row) => row.certificate_id)
  const certificates = await certificatesById(db, organizationId, ids)
  return rows.map((row) =>
    toApplication(row, certificates.get(row.certificate_id ?? ''), publicUrl),
  )
}

const describe = async (context: ApplicationContext, db: Queryable, row: ApplicationRow) =>
  (await describeApplications(context, db, row.organization_id, [row]))[0]!

export async function getApplication(
  context: ApplicationContext,
  { organizationId }: Caller,
  id: string,
): Promise<Application> {
  const tenant = context.db.tenant(organizationId)
  return describe(context, tenant, await getApplicationRow(tenant, organizationId, id))
}

export async function createApplication(
  context: ApplicationContext,
  caller: Caller,
  body: ApplicationWrite,
): Promise<Application> {
  const { organizationId } = caller
  const template = templateFor(body)
  checkRequired(template, body)
  const { written, sent } = readWrite(template, body, null, context.publicUrl)
  const id = newId()
  const pair =
    sentKeyPair(sent.idpCertificate, sent.idpPrivateKey, FIELDS) ??
    (template.sso.type === 'bookmark'
      ? null
      : await newKeyPair(context, organizationId, written.slug ?? id))
  return context.db.tx(organizationId, async (tx) => {
    const row = await seedRow(context, tx, organizationId, { ...written, id }, pair)
    const certificates = await certificatesById(tx, organizationId, [row.certificate_id])
    const eventId = await recordEvent(tx, caller, {
      event_type: 'application_create',
      resource: resourceOf(row),
      changes: changesBetween({}, auditFields(row, certificates), SECRETS),
    })
    await context.changed.fire(tx, caller, { applicationId: id, before: null, after: row, eventId })
    return describe(context, tx, row)
  })
}

/** Inserts a new application with its node, slug and certificate. */
export async function seedRow(
  context: Pick<ApplicationContext, 'sealer'>,
  tx: Tx,
  organizationId: string,
  row: Written & { id: string },
  pair: KeyPair | null,
): Promise<ApplicationRow> {
  const { id } = row
  await addNode(tx, organizationId, 'application', id)
  const made = (await insertApplication(tx, {
    ...row,
    organization_id: organizationId,
    logo_id: null,
    certificate_id: null,
    next_certificate_id: null,
    previous_certificate_id: null,
    promote_at: null,
  }))!
  await keepSlug(tx, made)
  if (!pair) return made
  const certificate = await keepKeyPair(context, tx, organizationId, id, pair)
  const signing = { ...made, certificate_id: certificate.id }
  await saveApplication(tx, signing)
  return signing
}

/** Saves the change, records its event and fires the hook; does nothing if nothing has changed. */
export async function saveChange(
  { changed }: SaveContext,
  tx: Tx,
  caller: Caller,
  before: ApplicationRow,
  after: ApplicationRow,
): Promise<void> {
  const { organizationId } = caller
  const ids = [before, after].flatMap((row) => [row.certificate_id, row.next_certificate_id])
  const certificates = await certificatesById(tx, organizationId, [...new Set(ids)])
  const changes = changesBetween(
    auditFields(before, certificates),
    auditFields(after, certificates),
    SECRETS,
  )
  if (changes.length === 0) return
  await saveApplication(tx, after)
  await deleteUnusedCertificates(tx, organizationId, after.id)
  if (before.slug !== after.slug) {
    await giveUpSlug(tx, organizationId, after.id)
    await keepSlug(tx, after)
  }
  const eventId = await recordEvent(tx, caller, {
    event_type: 'application_update',
    resource: resourceOf(after),
    changes,
  })
  await changed.fire(tx, caller, { applicationId: after.id, before, after, eventId })
}

/** The key pair in a request. Null: none, or the one already in use. */
function newPairIn(sent: SentConfig, current: string | undefined): KeyPair | null {
  const { idpCertificate, idpPrivateKey } = sent
  // A client that sends a record back does not have its private key.
  if (idpPrivateKey === '' && isCertificate(idpCertificate, FIELDS, current)) return null
  const pair = sentKeyPair(idpCertificate, idpPrivateKey, FIELDS)
  return pair?.certificate === current ? null : pair
}

/**
 * A full replace. The template never changes. Without a certificate a new one is generated, as the API specifies; the old
 * one is kept as the previous certificate, so that the change can be rolled back.
 */
export async function replaceApplication(
  context: ApplicationContext,
  caller: Caller,
  id: string,
  body: ApplicationWrite,
): Promise<Application> {
  const { db } = context
  const { organizationId } = caller
  const known = await getApplicationRow(db.tenant(organizationId), organizationId, id)
  if (body.name) templateFor(body)
  const template = templateOf(known.name)
  // Validate first: generating a key is expensive.
  const { sent } = readWrite(template, body, known, context.publicUrl)
  const brings = sent.idpCertificate !== '' || sent.idpPrivateKey !== ''
  const made =
    known.slug === null || brings ? null : await newKeyPair(context, organizationId, known.slug)
  return db.tx(organizationId, async (tx) => {
    const before = await lockedApplication(tx, organizationId, id)
    const { written } = readWrite(template, body, before, context.publicUrl)
    const after: ApplicationRow = { ...before, ...written, name: before.name }
    const certificates = await certificatesById(tx, organizationId, [before.certificate_id])
    const current = certificates.get(before.certificate_id ?? '')?.certificate
    const pair = made ?? newPairIn(sent, current)
    if (pair) {
      after.certificate_id = (await keepKeyPair(context, tx, organizationId, id, pair)).id
      after.previous_certificate_id = before.certificate_id
    }
    await saveChange(context, tx, caller, before, after)
    return describe(context, tx, after)
  })
}

/** Soft delete: it can be restored with its bindings. The same tenant may reuse its slug at once. */
export function removeApplication(
  context: ApplicationContext,
  caller: Caller,
  id: string,
): Promise<Application> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const row = await lockedApplication(tx, organizationId, id)
    const eventId = await recordEvent(tx, caller, {
      event_type: 'application_delete',
      resource: resourceOf(row),
    })
    await markDeleted(tx, organizationId, id)
    await giveUpSlug(tx, organizationId, id)
    // Listeners first: they may need the application's edges.
    await context.changed.fire(tx, caller, { applicationId: id, before: row, after: null, eventId })
    await deleteNode(tx, organizationId, 'application', id, eventId)
    return describe(context, tx, row)
  })
}

export function restoreApplication(
  context: ApplicationContext,
  caller: Caller,
  id: string,
): Promise<Application> {
  const { organizationId } = caller
  const taken = () => conflict('slug_taken', 'ssoUrl: another application now uses this URL')
  return context.db.tx(organizationId, async (tx) => {
    const row = isId(id) ? await unmarkDeleted(tx, organizationId, id) : undefined
    if (!row) throw applicationNotFound()
    const eventId = await recordEvent(tx, caller, {
      event_type: 'application_restore',
      resource: resourceOf(row),
    })
    await keepSlug(tx, row, taken)
    await restoreNode(tx, organizationId, 'application', id, eventId)
    // The job may have run while the application was deleted.
    await planPromotion(context, tx, organizationId, row)
    await context.changed.fire(tx, caller, { applicationId: id, before: null, after: row, eventId })
    return describe(context, tx, row)
  })
}
