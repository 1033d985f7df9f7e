import { recordEvent } from '../insights/index.ts'
import { type Caller, systemCaller } from '../platform/caller.ts'
import { AppError, invalid } from '../platform/errors.ts'
import { OutboundError } from '../platform/outbound/errors.ts'
import {
  describeApplications,
  getApplicationRow,
  lockedApplication,
  saveChange,
} from './actions.ts'
import { templateOf } from './catalogue.ts'
import { readConfig } from './config.ts'
import type { ApplicationContext } from './context.ts'
import { readSpMetadataInThread } from './read-sp-metadata.ts'
import { resourceOf } from './records.ts'
import type { Application, SpMetadataImport, SpMetadataState } from './schema.ts'
import type { SpSettings } from './sp-metadata.ts'
import {
  dueImports,
  findImport,
  noteChecked,
  saveImport,
  stopFollowing,
} from './sp-metadata-store.ts'
import type { ApplicationRow } from './store.ts'
import { LOOPBACK, wrongAddress } from './web-address.ts'

/** How often a followed document is read again. */
const FOLLOWED_HOURS = 6

async function fetchMetadata(
  { outbound, limits }: ApplicationContext,
  url: string,
): Promise<Buffer> {
  try {
    const answer = await outbound.request(url, {
      headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml, */*;q=0.1' },
      maxBytes: limits.metadata.bytes,
    })
    if (answer.status !== 200)
      throw invalid(
        'sp_metadata_unavailable',
        `url: the server responded with status ${answer.status}`,
      )
    return answer.body
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw invalid('sp_metadata_unavailable', `url: ${error.message}`, { cause: error.cause })
  }
}

async function readSettings(
  context: ApplicationContext,
  organizationId: string,
  { url, xml, entityId, follow }: SpMetadataImport,
): Promise<SpSettings> {
  if (!url === !xml) throw invalid('bad_import', 'url, xml: exactly one of the two is required')
  if (follow && !url) throw invalid('bad_import', 'follow: only a URL can be followed')
  // Nobody looks at a followed document before it is applied, so it must come from who it says.
  const wrong = follow ? wrongAddress(url!, LOOPBACK) : null
  if (wrong !== null) throw invalid('bad_import', `url: ${wrong}`)
  return readSpMetadataInThread(organizationId, {
    xml: xml || (await fetchMetadata(context, url!)),
    max: context.limits.metadata,
    wanted: entityId || undefined,
  })
}

/**
 * The application with the settings from the metadata, validated like those of a request. Settings of the previous import
 * that this one does not mention fall back to the template; those set by an administrator stay.
 */
function applied(
  row: ApplicationRow,
  settings: SpSettings,
  previous: readonly string[],
): { row: ApplicationRow; names: string[] } {
  const template = templateOf(row.name)
  if (template.sso.type !== 'saml')
    throw invalid('no_saml', 'This is not a SAML application, so it has no SAML settings')
  const names = Object.keys(settings).filter((name) => template.settings.has(name))
  const sent = Object.fromEntries(names.map((name) => [name, { value: settings[name] }]))
  const { values } = readConfig(template, sent)
  const replaced = new Set([...names, ...previous])
  const kept = Object.entries(row.config).filter(([name]) => !replaced.has(name))
  return { row: { ...row, config: { ...Object.fromEntries(kept), ...values } }, names }
}

async function save(
  context: ApplicationContext,
  caller: Caller,
  id: string,
  settings: SpSettings,
  url: string | null,
): Promise<Application> {
  const { organizationId } = caller
  return context.db.tx(organizationId, async (tx) => {
    const before = await lockedApplication(tx, organizationId, id)
    const previous = await findImport(tx, organizationId, id)
    const { row: after, names } = applied(before, settings, previous?.settings ?? [])
    await saveChange(context, tx, caller, before, after)
    await saveImport(tx, organizationId, id, {
      settings: names,
      entity_id: String(settings.spEntityId),
      url,
    })
    return (await describeApplications(context, tx, organizationId, [after]))[0]!
  })
}

/** With `preview`, returns the resulting record without saving it. */
export async function importSpMetadata(
  context: ApplicationContext,
  caller: Caller,
  id: string,
  body: SpMetadataImport,
  preview: boolean,
): Promise<Application> {
  const { organizationId } = caller
  const tenant = context.db.tenant(organizationId)
  // Check access before fetching: the timing must not reveal the ids of other tenants.
  const known = await getApplicationRow(tenant, organizationId, id)
  const settings = await readSettings(context, organizationId, body)
  if (!preview) return save(context, caller, id, settings, body.follow ? body.url! : null)
  const previous = await findImport(tenant, organizationId, id)
  const { row } = applied(known, settings, previous?.settings ?? [])
  return (await describeApplications(context, tenant, organizationId, [row]))[0]!
}

export async function getSpMetadata(
  { db }: ApplicationContext,
  { organizationId }: Caller,
  id: string,
): Promise<SpMetadataState> {
  const tenant = db.tenant(organizationId)
  await getApplicationRow(tenant, organizationId, id)
  const row = await findImport(tenant, organizationId, id)
  return {
    entityId: row?.entity_id ?? null,
    importedAt: row?.imported_at ?? null,
    followedUrl: row?.url ?? null,
    checkedAt: row?.checked_at ?? null,
    error: row?.error || null,
  }
}

/** The settings stay as they are. */
export async function stopFollowingMetadata(
  context: ApplicationContext,
  caller: Caller,
  id: string,
): Promise<SpMetadataState> {
  const { organizationId } = caller
  const tenant = context.db.tenant(organizationId)
  await getApplicationRow(tenant, organizationId, id)
  await stopFollowing(tenant, organizationId, id)
  return getSpMetadata(context, caller, id)
}

/**
 * Reads followed documents again. A failure leaves the settings as they are; it is recorded once, and shown until the
 * next success.
 */
export async function followMetadata(
  context: ApplicationContext,
  organizationId: string,
): Promise<void> {
  const { db } = context
  const caller = systemCaller(organizationId, 'service provider metadata')
  const due = await dueImports(db.tenant(organizationId), organizationId, FOLLOWED_HOURS)
  for (const { application_id: id, url, entity_id: entityId, error: before } of due) {
    try {
      const settings = await readSettings(context, organizationId, { url, entityId })
      await save(context, caller, id, settings, url)
      await noteChecked(db.tenant(organizationId), organizationId, id, '')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await db.tx(organizationId, async (tx) => {
        await noteChecked(tx, organizationId, id, error.message)
        if (before !== '') return
        await recordEvent(tx, caller, {
          event_type: 'application_update',
          resource: resourceOf(await lockedApplication(tx, organizationId, id)),
          success: false,
          error_message: `The metadata at ${url} could not be read again: ${error.message}`,
        })
      })
    }
  }
}
