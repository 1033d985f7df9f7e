import type { components } from '../../../../../client/index.ts'
import { type Api, dataOf, pageOfV2 } from '../../../api/organization.ts'
import { useChange } from '../../changes.ts'
import { useGo } from '../../link.tsx'
import { useOrganization } from '../../organization.ts'
import { useRead } from '../../reads.ts'
import { startWork } from '../../tray/tray.ts'
import { type Application, orNull } from '../application.ts'

export type Config = components['schemas']['ImportConfig']
export type Put = components['schemas']['ImportConfigPut']
export type Source = Put['source']
export type FileSource = Extract<Source, { kind: 'file' }>
export type RestSource = Extract<Source, { kind: 'rest' }>
export type Create = components['schemas']['ImportJobCreate']
export type Job = components['schemas']['ImportJob']
/** Of one record. */
export type Preview = components['schemas']['ImportPreview']
export type Result = components['schemas']['ImportResult']
export type Action = Preview['action']

const WORKING_MS = 700

export const ACTIONS: Record<Action, { label: string; tone: 'good' | 'calm' | 'warn' | 'bad' }> = {
  create: { label: 'Create', tone: 'good' },
  update: { label: 'Update', tone: 'calm' },
  suspend: { label: 'Suspend', tone: 'warn' },
  reactivate: { label: 'Reactivate', tone: 'good' },
  none: { label: 'No change', tone: 'calm' },
  skip: { label: 'Skip', tone: 'calm' },
  park: { label: 'Needs you', tone: 'bad' },
}

export const keyOf = (id: string) => ['applications', id, 'import']
const params = (id: string) => ({ path: { application_id: id } })

/** Null: not a source yet. */
export const useConfig = (id: string) =>
  useRead([...keyOf(id), 'config'], (api) =>
    orNull(
      api.management
        .GET('/v2/applications/{application_id}/import/config', { params: params(id) })
        .then(dataOf),
    ),
  )

/** Reads the first records. */
export const test = (id: string) => async (api: Api) =>
  dataOf(
    await api.management.POST('/v2/applications/{application_id}/import/config/test', {
      params: params(id),
    }),
  )

/** Fields of the first records, as a rule would name them; empty if the source does not answer. */
export const useMembers = (id: string, enabled: boolean) =>
  useRead([...keyOf(id), 'members'], async (api) => (await test(id)(api)).members, { enabled })

const given = (part: object = {}): object =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null))

/** What is not set is null in an answer, and absent from a request. */
function sourceOf({ source }: Config): Source {
  const { limits, paging } = source as Partial<RestSource>
  return {
    ...given(source),
    ...(limits && { limits: given(limits) }),
    ...(paging && {
      // A request for a page without its size has null there.
      paging: { ...given(paging), ...(paging.type === 'page' && { sizeParam: paging.sizeParam }) },
    }),
  } as Source
}

/** The API replaces the configuration, so what a form does not show is sent back. Secrets stay. */
export const putOf = (config: Config): Put => ({
  source: sourceOf(config),
  mapping: config.mapping,
  active: config.active,
  protectFields: config.protectFields,
  schedule: config.schedule,
  missing: config.missing as NonNullable<Put['missing']>,
  limits: config.limits,
  operations: config.operations,
  allowUserReactivation: config.allowUserReactivation,
  activationEmails: config.activationEmails,
})

export const put = (id: string) => async (api: Api, body: Put) =>
  dataOf(
    await api.management.PUT('/v2/applications/{application_id}/import/config', {
      params: params(id),
      body,
    }),
  )

/** The content as it is, whatever its format. */
export const upload = (id: string) => (api: Api, file: File) =>
  api.management.PUT('/v2/applications/{application_id}/import/file', {
    params: { ...params(id), query: { name: file.name } },
    headers: { 'content-type': 'application/octet-stream' },
    body: '',
    bodySerializer: () => file,
  })

/** Shows the job, and follows it in the tray. */
export function useFollowJob({ id, displayLabel, name }: Application) {
  const { id: organization } = useOrganization()
  const go = useGo()
  return (what: 'Plan' | 'Import' | 'Undo', jobId: string) => {
    const link = `applications/${id}/import`
    const search = { job: jobId }
    const title = `${what}: ${displayLabel || name}`
    const input = { applicationId: id, jobId }
    startWork(organization, { kind: 'import-people', input, title, link, search, total: 0 })
    void go(link, { search })
  }
}

/** Starts a run and shows it. */
export const useStart = (application: Application) => {
  const follow = useFollowJob(application)
  return useChange({
    run: async (api, body: Create) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/import/jobs', {
          params: params(application.id),
          body,
        }),
      ),
    touches: [keyOf(application.id), ['users'], ['home']],
    after: ({ jobId }, { dryRun }) => follow(dryRun ? 'Plan' : 'Import', jobId),
  })
}

export const isRunning = (job: Job | undefined): boolean =>
  job !== undefined && (job.status === 'queued' || job.status === 'running')

export const useJobs = (id: string) =>
  useRead(
    [...keyOf(id), 'jobs'],
    async (api) =>
      pageOfV2(
        await api.management.GET('/v2/applications/{application_id}/import/jobs', {
          params: { ...params(id), query: { limit: 20 } },
        }),
      ),
    { every: (page) => (page?.rows.some(isRunning) ? WORKING_MS : false) },
  )

const jobPath = (id: string, job: string) => ({ path: { application_id: id, job_id: job } })

export const useJob = (id: string, job: string) =>
  useRead(
    [...keyOf(id), 'job', job],
    async (api) =>
      dataOf(
        await api.management.GET('/v2/applications/{application_id}/import/jobs/{job_id}', {
          params: jobPath(id, job),
        }),
      ),
    { every: (read) => (isRunning(read) ? WORKING_MS : false) },
  )

/** Read again when the job has moved on. */
export const useResults = (
  id: string,
  job: Job,
  failed: boolean,
  page: { limit: number; skip: number },
) =>
  useRead(
    [...keyOf(id), 'results', job.id, failed, page.skip, job.status, job.pending],
    async (api) =>
      pageOfV2(
        await api.management.GET('/v2/applications/{application_id}/import/jobs/{job_id}/results', {
          params: {
            ...jobPath(id, job.id),
            query: { ...page, ...(failed && { success: false }) },
          },
        }),
      ),
    { placeholderData: (previous) => previous },
  )

/** Whose record it is. */
export function personOf(fields: Record<string, unknown>): string {
  const write = (fields.write ?? fields) as Record<string, unknown>
  const name = [write.firstname, write.lastname].filter(Boolean).join(' ')
  return String(
    name || write.displayname || write.email || write.username || fields.externalId || '–',
  )
}
