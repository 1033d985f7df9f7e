import { type Api, dataOf } from '../../api/organization.ts'

const POLL_MS = 400
const MAX_RESULTS = 100

const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS))

/** Changes users by a job of the API, and waits for its results. */
async function changeAll(api: Api, ids: string[], state: 'ACTIVATED' | 'SUSPENDED') {
  const { jobId } = dataOf(
    await api.management.PATCH('/v2/bulk/users', { body: ids.map((id) => ({ id, state })) }),
  )
  const path = { job_id: jobId }
  for (;;) {
    const results = dataOf(
      await api.management.GET('/v2/bulk/users/{job_id}/results', {
        params: { path, query: { limit: MAX_RESULTS } },
      }),
    )
    if (!results.some(({ status }) => status === 'Pending')) {
      const failed = results.filter(({ meta }) => meta.success === false)
      if (failed.length > 0)
        throw new Error(`${failed.length} of ${ids.length} failed: ${failed[0]!.statusMsg}`)
      return
    }
    await pause()
  }
}

export const suspendAll = (api: Api, ids: string[]) => changeAll(api, ids, 'SUSPENDED')
export const activateAll = (api: Api, ids: string[]) => changeAll(api, ids, 'ACTIVATED')
