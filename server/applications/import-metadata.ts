import type { Caller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import { limits } from '../platform/limits.ts'
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
import type { Application, SpMetadataImport } from './schema.ts'
import type { SpSettings } from './sp-metadata.ts'
import type { ApplicationRow } from './store.ts'

async function fetchMetadata({ outbound }: ApplicationContext, url: string): Promise<Buffer> {
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
  { url, xml, entityId }: SpMetadataImport,
): Promise<SpSettings> {
  if (!url === !xml) throw invalid('bad_import', 'url, xml: exactly one of the two is required')
  const document = xml || (await fetchMetadata(context, url!))
  return readSpMetadataInThread(organizationId, document, entityId || undefined)
}

/** The application with the settings from the metadata, validated like those of a request. */
function applied(row: ApplicationRow, settings: SpSettings): ApplicationRow {
  const template = templateOf(row.name)
  if (template.sso.type !== 'saml')
    throw invalid('no_saml', 'This is not a SAML application, so it has no SAML settings')
  const known = Object.entries(settings).filter(([name]) => template.settings.has(name))
  const sent = Object.fromEntries(known.map(([name, value]) => [name, { value }]))
  const { values } = readConfig(template, sent)
  const unsent = Object.fromEntries(
    Object.entries(row.config).filter(([name]) => !Object.hasOwn(sent, name)),
  )
  return { ...row, config: { ...unsent, ...values } }
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
  if (preview) {
    const row = applied(known, settings)
    return (await describeApplications(context, tenant, organizationId, [row]))[0]!
  }
  return context.db.tx(organizationId, async (tx) => {
    const before = await lockedApplication(tx, organizationId, id)
    const after = applied(before, settings)
    await saveChange(context, tx, caller, before, after)
    return (await describeApplications(context, tx, organizationId, [after]))[0]!
  })
}
