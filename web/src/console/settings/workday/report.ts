import type { components } from '../../../../../client/index.ts'
import { type Api, dataOf, pageOfV2 } from '../../../api/organization.ts'
import { useRead } from '../../reads.ts'
import type { Worker } from './entries.ts'

export type Workday = components['schemas']['Workday']

export const PATH = 'settings/workday'
export const NAME = 'Workday Import'
export const KEY = ['workday']
export const RECORD = [...KEY, 'record']
export const PAGE = 50

/** Each read makes Workday run the report. */
const FRESH_MS = 300_000
const MAX_LIMIT = 1000

/** Null: none is connected. An organization has one at most. */
export const useWorkday = () =>
  useRead(RECORD, async (api): Promise<Workday | null> => {
    const [workday = null] = dataOf(await api.management.GET('/v2/workdays'))
    return workday
  })

/** The API tells it only by this message. */
export const hasCredentials = ({ auth }: Workday): boolean =>
  auth?.basic.isValid === true || auth?.basic.message !== 'Not authorized'

const readWorkers = async (api: Api, id: string, query: { limit: number; skip: number }) =>
  pageOfV2(
    await api.management.GET('/v2/workdays/{workday_id}/workers', {
      params: { path: { workday_id: id }, query },
    }),
  )

export const useWorkers = (workday: Workday, page: { limit: number; skip: number }) =>
  useRead([...KEY, workday.id, 'workers', page.skip], (api) => readWorkers(api, workday.id, page), {
    enabled: hasCredentials(workday),
    staleTime: FRESH_MS,
    placeholderData: (previous) => previous,
  })

export async function readAllWorkers(api: Api, id: string): Promise<Worker[]> {
  const workers: Worker[] = []
  for (;;) {
    const { rows, total } = await readWorkers(api, id, { limit: MAX_LIMIT, skip: workers.length })
    workers.push(...rows)
    if (rows.length === 0 || workers.length >= total) return workers
  }
}
