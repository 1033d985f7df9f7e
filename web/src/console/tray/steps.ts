import type { components } from '../../../../client/index.ts'
import { type Api, dataOf, pageOfV1 } from '../../api/organization.ts'
import { ApiError } from '../../api/session.ts'
import { csvOf } from '../../ui/csv.ts'
import { download } from '../../ui/download.ts'
import { exportEvents } from './export-events.ts'
import { pause } from './pause.ts'
import type { Kind, Step, Work } from './work.ts'
import { writeAccounts } from './write-accounts.ts'

const PAGE = 100

type Result = components['schemas']['BulkResult']
type ReadResults = (
  api: Api,
  input: Work['input'],
  query: { limit: number; skip: number },
) => Promise<Result[]>

function failureOf({ id, persistedFields, statusMsg: reason }: Result): Work['failed'][number] {
  const { id: user, username = '' } = persistedFields as { id?: string; username?: string }
  return user ? { id: user, reason } : { id, name: username, reason }
}

/** The results of a job of the API about users, which come in order. */
const follow =
  (read: ReadResults): Step =>
  async (api, { input, total, done, failed }) => {
    const results = await read(api, input, { limit: PAGE, skip: done })
    const pending = results.findIndex(({ status }) => status === 'Pending')
    const finished = pending < 0 ? results : results.slice(0, pending)
    if (finished.length === 0 && done < total) await pause()
    const failures = finished.filter(({ meta }) => meta.success === false).map(failureOf)
    const after = done + finished.length
    return { done: after, failed: [...failed, ...failures], finished: after >= total }
  }

const bulkUsers = follow(async (api, { jobId }, query) =>
  dataOf(
    await api.management.GET('/v2/bulk/users/{job_id}/results', {
      params: { path: { job_id: String(jobId) }, query },
    }),
  ),
)

const importWorkers = follow(async (api, { workdayId, jobId }, query) =>
  dataOf(
    await api.management.GET('/v2/workdays/{id}/import/{job_id}/results', {
      params: { path: { id: String(workdayId), job_id: String(jobId) }, query },
    }),
  ),
)

/** One call for each id; what the API refuses is listed, and the next one is tried. */
const each =
  (act: (api: Api, id: string, input: Work['input']) => Promise<unknown>): Step =>
  async (api, { input, done, failed }) => {
    const ids = input.ids as string[]
    const id = ids[done]
    if (id === undefined) return { finished: true }
    const refused = await act(api, id, input).then(
      () => [],
      (error: unknown) => {
        // Signed out or offline: to be continued.
        if (!(error instanceof ApiError) || [0, 401].includes(error.status)) throw error
        return [{ id, reason: error.message }]
      },
    )
    return {
      done: done + 1,
      failed: [...failed, ...refused],
      finished: done + 1 === ids.length,
    }
  }

/** Those who are members already, some of them perhaps since before a reload, are what was asked for. */
function acceptMember(error: unknown): void {
  if (!(error instanceof ApiError && error.reason === 'edge_exists')) throw error
}

const USER_COLUMNS = [
  'id',
  'username',
  'email',
  'firstname',
  'lastname',
  'displayname',
  'state',
  'department',
  'jobTitle',
  'location',
  'company',
  'employeeIdentifier',
  'totp_enabled',
  'created',
] as const

/** Rows read so far; lost by a reload, which reads them again. */
const files = new Map<string, string[][]>()

const exportUsers: Step = async (api, { id, input, done }) => {
  const ids = input.ids as string[]
  const rows = files.get(id) ?? []
  const at = rows.length < done ? 0 : done
  const chunk = ids.slice(at, at + PAGE)
  const { rows: users } = pageOfV1(
    await api.management.POST('/search/systemusers', {
      body: { filter: { id: chunk }, limit: PAGE, fields: USER_COLUMNS.join(' ') },
    }),
  )
  const lines = users.map((user) => USER_COLUMNS.map((column) => String(user[column] ?? '')))
  const all = at === 0 ? lines : [...rows, ...lines]
  files.set(id, all)
  const after = Math.min(at + PAGE, ids.length)
  if (after < ids.length) return { done: after }
  files.delete(id)
  download('users.csv', new Blob([csvOf([[...USER_COLUMNS], ...all])], { type: 'text/csv' }))
  return { done: after, finished: true }
}

/** The way that an import goes by itself. */
const importPeople: Step = async (api, { input }) => {
  const { status, statusReason, total, pending, failed } = dataOf(
    await api.management.GET('/v2/applications/{application_id}/import/jobs/{job_id}', {
      params: {
        path: { application_id: String(input.applicationId), job_id: String(input.jobId) },
      },
    }),
  )
  const done = total - pending
  if (status === 'queued' || status === 'running') {
    await pause()
    return { done, total }
  }
  const ended = { done, total, finished: true }
  if (status === 'waiting') return { ...ended, outcome: 'Waits for you', error: statusReason ?? '' }
  if (status !== 'finished') {
    const outcome = status === 'failed' ? 'Failed' : 'Cancelled'
    return { ...ended, outcome, error: statusReason ?? '' }
  }
  return failed > 0 ? { ...ended, outcome: `${failed} of ${total} failed or parked` } : ended
}

export const KINDS: Record<string, Kind> = {
  'import-people': { step: importPeople, touches: [['users'], ['applications'], ['home']] },
  'bulk-users': { step: bulkUsers, touches: [['users']] },
  'import-workers': { step: importWorkers, touches: [['users'], ['home']] },
  'join-group': {
    step: each((api, id, { group }) =>
      api.management
        .POST('/v2/usergroups/{group_id}/members', {
          params: { path: { group_id: String(group) } },
          body: { op: 'add', type: 'user', id },
        })
        .catch(acceptMember),
    ),
    touches: [['users'], ['groups']],
  },
  'reset-mfa': {
    step: each((api, id) =>
      api.management.POST('/systemusers/{id}/resetmfa', { params: { path: { id } }, body: {} }),
    ),
    touches: [['users']],
  },
  'mail-links': {
    step: each(async (api, id) => {
      const params = { path: { id } }
      // The mail would lift a suspension.
      const { state } = dataOf(await api.management.GET('/systemusers/{id}', { params }))
      if (state !== 'ACTIVATED') throw new ApiError(409, 'The user is not active')
      await api.management.POST('/systemusers/{id}/reactivate', { params })
    }),
    touches: [['users']],
  },
  'write-accounts': { step: writeAccounts, touches: [['applications'], ['home']] },
  'export-events': { step: exportEvents, touches: [] },
  'export-users': { step: exportUsers, touches: [] },
}
