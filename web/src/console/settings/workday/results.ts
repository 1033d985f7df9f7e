import type { components } from '../../../../../client/index.ts'
import { type Api, pageOfV2 } from '../../../api/organization.ts'
import { useOrganization } from '../../organization.ts'
import { keyOf, useRead } from '../../reads.ts'
import { queries } from '../../session.ts'
import { KEY } from './report.ts'

export type Result = components['schemas']['BulkResult']

interface Results {
  /** Of the import. */
  total: number
  /** Those that are read: all, once the job is done. */
  rows: Result[]
}

const LIMIT = 100
const POLL_MS = 1000

export const isPending = ({ status }: Result): boolean => status === 'Pending'
export const isFailed = ({ meta }: Result): boolean => meta.success === false

/** The results come in order, so that those known as finished are not read again. */
async function readOn(
  api: Api,
  path: { id: string; job_id: string },
  known: Result[],
): Promise<Results> {
  const pending = known.findIndex(isPending)
  const rows = known.slice(0, pending < 0 ? known.length : pending)
  for (;;) {
    const page = pageOfV2(
      await api.management.GET('/v2/workdays/{id}/import/{job_id}/results', {
        params: { path, query: { limit: LIMIT, skip: rows.length } },
      }),
    )
    rows.push(...page.rows)
    const more = page.rows.length === LIMIT && rows.length < page.total
    if (!more || page.rows.some(isPending)) return { total: page.total, rows }
  }
}

export const isFinished = ({ total, rows }: Results): boolean =>
  rows.length >= total && !rows.some(isPending)

/** All results: the API cannot be asked for those that failed. */
export function useResults(workdayId: string, jobId: string) {
  const { id: organization } = useOrganization()
  const key = [...KEY, workdayId, 'results', jobId]
  return useRead(
    key,
    (api) => {
      const known = queries.getQueryData<Results>(keyOf(organization, key))
      return readOn(api, { id: workdayId, job_id: jobId }, known?.rows ?? [])
    },
    { every: (results) => (results && !isFinished(results) ? POLL_MS : false) },
  )
}
