import { keepRights } from '../admins/index.ts'
import { getApplicationRow, templateOf } from '../applications/index.ts'
import { changesBetween, recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { type AppError, conflict, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { checkUrls } from '../platform/outbound/check-urls.ts'
import { secretGoesTo, splitAuth, urlsOf } from '../scim/index.ts'
import { forgetRemoteAccounts, retryAccount } from './account-store.ts'
import {
  type ConnectionRow,
  deleteConnection,
  findConnection,
  insertConnection,
  lockConnection,
  saveHeld,
  saveRights,
  saveSettings,
  saveStatus,
} from './connection-store.ts'
import { type ProvisioningContext, secretContext } from './context.ts'
import { mappingOf } from './default-mapping.ts'
import { forgetRemoteGroups, retryGroupAccount } from './group-store.ts'
import { confirmHeld } from './removal-store.ts'
import { checkGroups } from './rights.ts'
import { requestSweep, scheduleReconcile } from './run-store.ts'
import type {
  Provisioning,
  ProvisioningDefaults,
  ProvisioningPut,
  ReconcileMode,
} from './schema.ts'
import { openSession, type Session } from './session.ts'
import { readSettings, type Settings } from './settings.ts'
import { wake } from './touch.ts'

const HOUR_MS = 3_600_000

const provisioningNotFound = () =>
  notFound('provisioning_not_found', 'Not Found: the application has no provisioning')

export const accountNotFound = () =>
  notFound('account_not_found', 'Not Found: the user was never bound to the application')

const toProvisioning = (row: ConnectionRow): Provisioning => ({
  applicationId: row.application_id,
  idmClientId: row.idm_client_id,
  status: row.status,
  statusReason: row.status_reason,
  reason: row.status_code,
  ...row.settings,
  quirks: row.quirks,
  created: row.created,
  updated: row.updated,
})

/** 404 for an unknown application, and for one without provisioning. */
export async function getConnection(
  { db }: Pick<ProvisioningContext, 'db'>,
  organizationId: string,
  applicationId: string,
): Promise<ConnectionRow> {
  const tenant = db.tenant(organizationId)
  await getApplicationRow(tenant, organizationId, applicationId)
  const row = await findConnection(tenant, organizationId, applicationId)
  if (!row) throw provisioningNotFound()
  return row
}

export const getProvisioning = async (
  context: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
): Promise<Provisioning> =>
  toProvisioning(await getConnection(context, organizationId, applicationId))

/** For a form: what the template of the application knows about its provider. */
export async function getDefaults(
  { db }: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
): Promise<ProvisioningDefaults> {
  const { name } = await getApplicationRow(db.tenant(organizationId), organizationId, applicationId)
  const { provisioning } = templateOf(name)
  return {
    baseUrl: provisioning?.baseUrl ?? null,
    auth: provisioning?.auth ?? 'bearer',
    groups: provisioning?.groups ?? false,
    note: provisioning?.note ?? null,
    mapping: mappingOf(provisioning),
  }
}

/** A session for reading and trying, whatever the status of the connection. */
export async function sessionFor(
  context: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
): Promise<Session> {
  await getConnection(context, organizationId, applicationId)
  const session = await openSession(context, organizationId, applicationId)
  if (!session) throw provisioningNotFound()
  return session
}

/** The secret as it will be stored. A known one is kept only for the host it was given for. */
function sealedSecret(
  { sealer }: ProvisioningContext,
  applicationId: string,
  sent: string | undefined,
  settings: Settings,
  before: ConnectionRow | undefined,
): string {
  if (sent !== undefined) return sealer.seal(sent, secretContext(applicationId))
  if (before && secretGoesTo(before.settings) === secretGoesTo(settings)) return before.secret
  throw invalid(
    'secret_required',
    'auth: the secret is required for a new connection, and when its host or kind changes',
  )
}

/** What a change of settings asks of the accounts. */
const sameAccounts = (a: Settings, b: Settings): boolean =>
  JSON.stringify([a.baseUrl, a.mapping, a.groups, a.dryRun]) ===
  JSON.stringify([b.baseUrl, b.mapping, b.groups, b.dryRun])

const resourceOf = (id: string, name: string) => ({ type: 'application', id, name })

async function namedApplication(
  tx: Tx,
  organizationId: string,
  applicationId: string,
): Promise<{ id: string; name: string }> {
  const { display_label, name } = await getApplicationRow(tx, organizationId, applicationId)
  return { id: applicationId, name: display_label || name }
}

/** Creates the connection, inactive, or replaces its settings. */
export async function putProvisioning(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  body: ProvisioningPut,
): Promise<Provisioning> {
  const { db, now = Date.now } = context
  const { organizationId } = caller
  // Before the URL is resolved: other tenants must learn nothing about this id.
  const { name } = await getApplicationRow(db.tenant(organizationId), organizationId, applicationId)
  const settings = readSettings(body, mappingOf(templateOf(name).provisioning))
  checkGroups(caller, settings)
  await checkUrls(context.outbound, urlsOf(settings))
  await db.tx(organizationId, async (tx) => {
    const application = await namedApplication(tx, organizationId, applicationId)
    const before = await lockConnection(tx, organizationId, applicationId)
    const { secret: sent } = splitAuth(body.auth)
    const secret = sealedSecret(context, applicationId, sent, settings, before)
    const idmClientId = before?.idm_client_id ?? newId()
    const rights = keepRights(caller)
    if (!before)
      await insertConnection(tx, organizationId, applicationId, {
        idm_client_id: idmClientId,
        settings,
        secret,
        rights,
      })
    else {
      const sameHost = before.settings.baseUrl === settings.baseUrl
      const quirks = sameHost ? before.quirks : {}
      await saveSettings(tx, organizationId, applicationId, { settings, secret, quirks, rights })
      // The ids of another provider would name other people's accounts.
      if (!sameHost) {
        await forgetRemoteAccounts(tx, organizationId, applicationId)
        await forgetRemoteGroups(tx, organizationId, applicationId)
      }
      if (before.status === 'active' && !sameAccounts(before.settings, settings))
        await requestSweep(tx, [applicationId], true)
    }
    const { everyHours } = settings.reconcile
    if (everyHours !== (before?.settings.reconcile.everyHours ?? null))
      await scheduleReconcile(
        tx,
        applicationId,
        everyHours === null ? null : now() + everyHours * HOUR_MS,
      )
    const changes = changesBetween(
      before ? { ...before.settings, secret: before.secret } : {},
      { ...settings, secret },
      ['secret'],
    )
    if (changes.length > 0)
      await recordEvent(tx, caller, {
        event_type: before ? 'integration_update' : 'integration_create',
        resource: resourceOf(application.id, application.name),
        application,
        idm_client_id: idmClientId,
        changes,
      })
    await wake(tx, organizationId, [applicationId])
  })
  return getProvisioning(context, caller, applicationId)
}

/** A change of the connection as a whole, with its event. */
async function change(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  event: string,
  work: (tx: Tx, row: ConnectionRow) => Promise<boolean>,
): Promise<void> {
  const { organizationId } = caller
  await context.db.tx(organizationId, async (tx) => {
    const application = await namedApplication(tx, organizationId, applicationId)
    const row = await lockConnection(tx, organizationId, applicationId)
    if (!row) throw provisioningNotFound()
    if (!(await work(tx, row))) return
    await recordEvent(tx, caller, {
      event_type: event,
      resource: resourceOf(application.id, application.name),
      application,
      idm_client_id: row.idm_client_id,
    })
    await wake(tx, organizationId, [applicationId])
  })
}

/** Accounts at the provider stay as they are. */
export const deleteProvisioning = (
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
): Promise<void> =>
  change(context, caller, applicationId, 'integration_delete', async (tx) => {
    await deleteConnection(tx, caller.organizationId, applicationId)
    return true
  })

/** Compares everyone who is bound. Also starts again what was stopped. */
export async function activate(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
): Promise<Provisioning> {
  await change(context, caller, applicationId, 'integration_activate', async (tx, row) => {
    if (row.status === 'active') return false
    checkGroups(caller, row.settings)
    await saveRights(tx, caller.organizationId, applicationId, keepRights(caller))
    await saveStatus(tx, caller.organizationId, applicationId, 'active', null)
    await requestSweep(tx, [applicationId], true)
    return true
  })
  return getProvisioning(context, caller, applicationId)
}

/** Nothing is written any more; accounts stay as they are. */
export async function deactivate(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
): Promise<Provisioning> {
  await change(context, caller, applicationId, 'integration_deactivate', async (tx, row) => {
    if (row.status === 'inactive') return false
    await saveStatus(tx, caller.organizationId, applicationId, 'inactive', null)
    return true
  })
  return getProvisioning(context, caller, applicationId)
}

/** Lets removals go ahead that were too many at once. */
export async function confirmRemovals(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
): Promise<{ confirmed: number }> {
  let confirmed = 0
  await change(context, caller, applicationId, 'integration_removals_confirmed', async (tx) => {
    confirmed = await confirmHeld(tx, caller.organizationId, applicationId)
    await saveHeld(tx, caller.organizationId, applicationId, null)
    return confirmed > 0
  })
  return { confirmed }
}

/** Compares with the provider now; the report is in the status when it is done. */
export async function requestReconcile(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  mode: ReconcileMode,
): Promise<void> {
  const { db, now = Date.now } = context
  const { organizationId } = caller
  const row = await getConnection(context, organizationId, applicationId)
  if (row.status !== 'active')
    throw conflict('provisioning_inactive', 'Activate the provisioning of the application first')
  checkGroups(caller, row.settings)
  await db.tx(organizationId, async (tx) => {
    await scheduleReconcile(tx, applicationId, now(), mode)
    await wake(tx, organizationId, [applicationId])
  })
}

/** Tries what failed again now, such as after its cause is gone. `touch` returns the number of rows. */
async function retry(
  context: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
  touch: (tx: Tx) => Promise<number>,
  missing: () => AppError,
): Promise<void> {
  await getConnection(context, organizationId, applicationId)
  await context.db.tx(organizationId, async (tx) => {
    if ((await touch(tx)) === 0) throw missing()
    await wake(tx, organizationId, [applicationId])
  })
}

export const retryUser = (
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  userId: string,
): Promise<void> =>
  retry(
    context,
    caller,
    applicationId,
    (tx) => retryAccount(tx, caller.organizationId, applicationId, userId),
    accountNotFound,
  )

export const retryGroup = (
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  groupId: string,
): Promise<void> =>
  retry(
    context,
    caller,
    applicationId,
    (tx) => retryGroupAccount(tx, caller.organizationId, applicationId, groupId),
    () => notFound('group_not_pushed', 'Not Found: the group was never pushed to the provider'),
  )
