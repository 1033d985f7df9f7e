import { changesBetween, type EventInput, recordEvent } from '../../insights/index.ts'
import type { Caller } from '../../platform/caller.ts'
import { isUniqueViolation, type Tx } from '../../platform/db/index.ts'
import { AppError, conflict, invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Paging } from '../../platform/list/page.ts'
import { checkUrls } from '../../platform/outbound/check-urls.ts'
import { bulkResults, startBulk, toBulkResult } from '../../users/index.ts'
import { secretContext, type WorkdayContext } from './context.ts'
import { type Credentials, checkFormat, readReport } from './report.ts'
import type {
  Workday,
  WorkdayAuth,
  WorkdayEntries,
  WorkdayFields,
  WorkdayInput,
  WorkdayWorker,
} from './schema.ts'
import {
  deleteWorkday,
  findWorkday,
  insertWorkday,
  lockWorkday,
  saveOutcome,
  saveWorkday,
  type WorkdayRow,
} from './store.ts'
import { WorkerPage } from './workers.ts'

const NAME = 'Workday Import'
const ONLY_BASIC = 'Only basic authentication is supported'

const workdayNotFound = () => notFound('workday_not_found', 'workday not found')

export const toWorkday = (row: WorkdayRow): Workday => ({
  id: row.id,
  name: row.name,
  reportUrl: row.report_url,
  lastImport: row.last_import ?? '',
  auth: {
    basic: {
      isValid: row.auth_valid,
      expiry: '',
      message: row.secret === null ? 'Not authorized' : row.auth_message,
    },
    oauth: { isValid: false, expiry: '', message: ONLY_BASIC },
  },
})

async function getRow(
  { db }: WorkdayContext,
  { organizationId }: Caller,
  id: string,
): Promise<WorkdayRow> {
  const row = await findWorkday(db.tenant(organizationId), organizationId, id)
  if (!row) throw workdayNotFound()
  return row
}

export const getWorkday = async (context: WorkdayContext, caller: Caller, id: string) =>
  toWorkday(await getRow(context, caller, id))

function checkName(name: string): void {
  if (name !== NAME) throw invalid('bad_workday_name', `name: must be "${NAME}"`)
}

async function checkUrl({ outbound }: WorkdayContext, reportUrl: string): Promise<void> {
  await checkUrls(outbound, { reportUrl })
  checkFormat(reportUrl)
}

function readCredentials({ basic, oauth }: WorkdayAuth): Credentials {
  if (oauth) throw invalid('oauth_unsupported', `auth.oauth: ${ONLY_BASIC.toLowerCase()}`)
  if (!basic?.username || !basic.password)
    throw invalid('credentials_missing', 'auth.basic: username and password are required')
  return { username: basic.username, password: basic.password }
}

const sealed = ({ sealer }: WorkdayContext, id: string, credentials: Credentials): string =>
  sealer.seal(JSON.stringify(credentials), secretContext(id))

/** Reads the report with the stored credentials, and saves whether it could be read. */
async function reading<T>(
  context: WorkdayContext,
  organizationId: string,
  row: WorkdayRow,
  work: (entries: AsyncGenerator<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
  const { db, sealer, outbound } = context
  if (row.secret === null)
    throw invalid('workday_not_authorized', 'The report cannot be read: authorize it first')
  const credentials = JSON.parse(await sealer.unseal(row.secret, secretContext(row.id)))
  const save = async (valid: boolean, message: string) => {
    if (row.auth_valid === valid && row.auth_message === message) return
    await db.tx(organizationId, (tx) => saveOutcome(tx, organizationId, row, valid, message))
  }
  const report = { url: row.report_url, credentials, key: `workday ${row.id}` }
  let result: T
  try {
    result = await work(readReport(outbound, report))
  } catch (error) {
    if (error instanceof AppError) await save(false, error.message)
    throw error
  }
  await save(true, '')
  return result
}

/** Reads the first entry: that shows whether address and credentials are right. */
async function tryReport(context: WorkdayContext, caller: Caller, id: string): Promise<void> {
  const row = await getRow(context, caller, id)
  if (row.secret === null) return
  try {
    await reading(context, caller.organizationId, row, async (entries) => {
      for await (const _ of entries) break
    })
  } catch (error) {
    // The outcome shows it.
    if (!(error instanceof AppError)) throw error
  }
}

const fieldsOf = ({ name, report_url, secret, last_import }: WorkdayRow) => ({
  name,
  reportUrl: report_url,
  auth: secret,
  lastImport: last_import,
})
const SECRETS = ['auth']

const resourceOf = ({ id, name }: Pick<WorkdayRow, 'id' | 'name'>) => ({
  type: 'workday',
  id,
  name,
})

/** Credentials are tried at once; wrong ones are saved too, and the record shows the reason. */
export async function createWorkday(
  context: WorkdayContext,
  caller: Caller,
  { name, reportUrl, auth }: WorkdayInput,
): Promise<Workday> {
  const { organizationId } = caller
  checkName(name)
  const credentials = readCredentials(auth)
  await checkUrl(context, reportUrl)
  const id = newId()
  const row = { id, name, report_url: reportUrl, secret: sealed(context, id, credentials) }
  try {
    await context.db.tx(organizationId, async (tx) => {
      await insertWorkday(tx, organizationId, row)
      const { secret, report_url } = row
      await recordEvent(tx, caller, {
        event_type: 'workday_create',
        resource: resourceOf(row),
        changes: changesBetween({}, { name, reportUrl: report_url, auth: secret }, SECRETS),
      })
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'workdays_name')) throw error
    throw conflict('workday_exists', 'name: an organization can have one Workday only')
  }
  await tryReport(context, caller, id)
  return getWorkday(context, caller, id)
}

/** Locks, decides, saves and records the change, if there is one. */
async function changeIn(
  tx: Tx,
  caller: Caller,
  id: string,
  decide: (row: WorkdayRow) => WorkdayRow,
  details: Pick<EventInput, 'correlation'> = {},
): Promise<void> {
  const { organizationId } = caller
  const before = await lockWorkday(tx, organizationId, id)
  if (!before) throw workdayNotFound()
  const after = decide(before)
  const changes = changesBetween(fieldsOf(before), fieldsOf(after), SECRETS)
  if (changes.length === 0) return
  await saveWorkday(tx, organizationId, after)
  await recordEvent(tx, caller, {
    event_type: 'workday_update',
    resource: resourceOf(after),
    changes,
    ...details,
  })
}

const change = (
  { db }: WorkdayContext,
  caller: Caller,
  id: string,
  decide: (row: WorkdayRow) => WorkdayRow,
): Promise<void> => db.tx(caller.organizationId, (tx) => changeIn(tx, caller, id, decide))

const untried = { auth_valid: false, auth_message: '' }

/** Credentials are kept only for the host they were given for: someone who cannot read them must not redirect them. */
export async function updateWorkday(
  context: WorkdayContext,
  caller: Caller,
  id: string,
  { name, reportUrl }: WorkdayFields,
): Promise<Workday> {
  // Before the URL is resolved: other tenants must learn nothing about this id.
  await getRow(context, caller, id)
  if (name != null) checkName(name)
  if (reportUrl == null) return getWorkday(context, caller, id)
  await checkUrl(context, reportUrl)
  await change(context, caller, id, (row) => {
    const sameHost = new URL(row.report_url).origin === new URL(reportUrl).origin
    return { ...row, report_url: reportUrl, ...(!sameHost && { ...untried, secret: null }) }
  })
  await tryReport(context, caller, id)
  return getWorkday(context, caller, id)
}

export async function authorizeWorkday(
  context: WorkdayContext,
  caller: Caller,
  id: string,
  auth: WorkdayAuth,
): Promise<void> {
  await getRow(context, caller, id)
  const secret = sealed(context, id, readCredentials(auth))
  await change(context, caller, id, (row) => ({ ...row, ...untried, secret }))
  await tryReport(context, caller, id)
}

export const deauthorizeWorkday = (context: WorkdayContext, caller: Caller, id: string) =>
  change(context, caller, id, (row) => ({ ...row, ...untried, secret: null }))

export const removeWorkday = ({ db }: WorkdayContext, caller: Caller, id: string) =>
  db.tx(caller.organizationId, async (tx) => {
    const row = await lockWorkday(tx, caller.organizationId, id)
    if (!row) throw workdayNotFound()
    await deleteWorkday(tx, caller.organizationId, id)
    await recordEvent(tx, caller, { event_type: 'workday_delete', resource: resourceOf(row) })
  })

/** The workers in the report, read now. */
export async function listWorkers(
  context: WorkdayContext,
  caller: Caller,
  id: string,
  query: Paging & { sort?: unknown },
): Promise<{ totalCount: number; results: WorkdayWorker[] }> {
  const row = await getRow(context, caller, id)
  const page = new WorkerPage(query)
  await reading(context, caller.organizationId, row, async (entries) => {
    for await (const entry of entries) page.add(entry)
  })
  return { totalCount: page.totalCount, results: page.workers }
}

/** Creates a user for each entry, in a job; a user who exists is the failure of one entry. */
export async function importWorkers(
  context: WorkdayContext,
  caller: Caller,
  id: string,
  entries: WorkdayEntries,
): Promise<string> {
  // Before the entries are stored.
  await getRow(context, caller, id)
  const last_import = new Date().toISOString()
  return startBulk(context.users, caller, 'create', entries, {
    source: 'gatehouse:workday',
    suppressEmail: true,
    importedFrom: id,
    alongside: (tx, jobId) =>
      changeIn(tx, caller, id, (row) => ({ ...row, last_import }), {
        correlation: { id: jobId, type: 'user_import' },
      }),
  })
}

export async function importResults(
  context: WorkdayContext,
  caller: Caller,
  id: string,
  jobId: string,
  paging: Paging,
) {
  await getRow(context, caller, id)
  const { organizationId } = caller
  const page = await bulkResults(context.users, organizationId, jobId, paging, id)
  return { ...page, results: page.results.map(toBulkResult) }
}
