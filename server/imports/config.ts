import { keepRights } from '../admins/index.ts'
import { changesBetween, recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { checkUrls } from '../platform/outbound/check-urls.ts'
import { applicationOf, getSource, importNotFound, sourceKey } from './application.ts'
import { type ImportContext, secretContext } from './context.ts'
import { describeFile, saveFile } from './file-store.ts'
import { isPlanning } from './plan-store.ts'
import { checkGroups } from './rights.ts'
import { schedule } from './schedule.ts'
import type { ImportConfig, ImportConfigPut } from './schema.ts'
import { readSettings, type Settings } from './settings.ts'
import { deleteSource, lockSource, type SourceRow, saveSource } from './source-store.ts'
import { secretGoesTo } from './sources/settings.ts'

export const MAX_FILE_BYTES = 33_554_432

export async function getConfig(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
): Promise<ImportConfig> {
  const key = sourceKey(caller, applicationId)
  const row = await getSource(context, key)
  const file = await describeFile(context.db.tenant(key.organizationId), key)
  return {
    applicationId,
    idmClientId: row.idm_client_id,
    ...row.settings,
    nextRun: row.next_run_at,
    file: file ?? null,
    created: row.created,
    updated: row.updated,
  }
}

/** The secret as it will be stored. A known one is kept only for the host it was given for. */
function sealedSecret(
  { sealer }: ImportContext,
  applicationId: string,
  sent: string | undefined,
  { source }: Settings,
  before: SourceRow | undefined,
): string | null {
  if (sent !== undefined) return sealer.seal(sent, secretContext(applicationId))
  const goesTo = secretGoesTo(source)
  if (goesTo === '') return null
  if (before?.secret && secretGoesTo(before.settings.source) === goesTo) return before.secret
  throw invalid(
    'secret_required',
    'source.auth: the secret is required for a new source, and when its host or kind changes',
  )
}

const about = (application: { id: string; name: string }, idmClientId: string) => ({
  resource: { type: 'application', id: application.id, name: application.name },
  application: { id: application.id, name: application.name },
  idm_client_id: idmClientId,
})

export async function putConfig(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  body: ImportConfigPut,
): Promise<ImportConfig> {
  const key = sourceKey(caller, applicationId)
  // Before the URL is resolved: other tenants must learn nothing about this id.
  await applicationOf(context.db.tenant(key.organizationId), key)
  const { settings, secret: sent, urls } = readSettings(body)
  checkGroups(caller, settings.mapping)
  await checkUrls(context.outbound, urls)
  await context.db.tx(key.organizationId, async (tx) => {
    const application = await applicationOf(tx, key)
    const before = await lockSource(tx, key)
    const secret = sealedSecret(context, applicationId, sent, settings, before)
    const idmClientId = before?.idm_client_id ?? newId()
    const same = JSON.stringify(before?.settings.source) === JSON.stringify(settings.source)
    await saveSource(tx, key, {
      idm_client_id: idmClientId,
      settings,
      secret,
      quirks: same && before ? before.quirks : {},
      rights: keepRights(caller),
      next_run_at: before?.next_run_at ?? null,
    })
    await schedule(context, tx, key, settings, new Date())
    const changes = changesBetween(
      before ? { ...before.settings, secret: before.secret } : {},
      { ...settings, secret },
      ['secret'],
    )
    if (changes.length > 0)
      await recordEvent(tx, caller, {
        event_type: before ? 'import_source_update' : 'import_source_create',
        ...about(application, idmClientId),
        changes,
      })
  })
  return getConfig(context, caller, applicationId)
}

/** Users stay as they are; the protection of their fields ends with the next change by hand of `restrictedFields`. */
export const deleteConfig = (
  context: ImportContext,
  caller: Caller,
  applicationId: string,
): Promise<void> => {
  const key = sourceKey(caller, applicationId)
  return context.db.tx(key.organizationId, async (tx: Tx) => {
    const application = await applicationOf(tx, key)
    const row = await lockSource(tx, key)
    if (!row) throw importNotFound()
    await deleteSource(tx, key)
    await recordEvent(tx, caller, {
      event_type: 'import_source_delete',
      ...about(application, row.idm_client_id),
    })
  })
}

/** Replaces the file of a source of kind `file`. */
export async function putFile(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  name: string,
  content: Buffer,
): Promise<void> {
  const key = sourceKey(caller, applicationId)
  const { settings } = await getSource(context, key)
  checkGroups(caller, settings.mapping)
  await context.db.tx(key.organizationId, async (tx) => {
    const application = await applicationOf(tx, key)
    const row = await lockSource(tx, key)
    if (!row) throw importNotFound()
    if (row.settings.source.kind !== 'file')
      throw invalid('not_a_file', 'The source of this application is not a file')
    if (content.length === 0) throw invalid('file_empty', 'The file is empty')
    if (await isPlanning(tx, key))
      throw conflict(
        'import_planning',
        'A job is about to read the present file; wait for its plan',
      )
    await saveFile(tx, key, name, content)
    await recordEvent(tx, caller, {
      event_type: 'import_file_upload',
      ...about(application, row.idm_client_id),
      changes: [{ field: 'file', to: { name, bytes: content.length } }],
    })
  })
}
