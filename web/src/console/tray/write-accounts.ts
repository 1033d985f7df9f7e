import { dataOf } from '../../api/organization.ts'
import { pause } from './pause.ts'
import type { Step } from './work.ts'

/** Until nothing more is due. Accounts that fail are tried again later, by themselves. */
export const writeAccounts: Step = async (api, { input }) => {
  const { status, statusReason, working, requested, users, heldRemovals, reconciliation } = dataOf(
    await api.management.GET('/v2/applications/{application_id}/provisioning/status', {
      params: { path: { application_id: String(input.applicationId) } },
    }),
  )
  const compared = (reconciliation as { finished?: string } | null)?.finished ?? null
  const due = requested || users.waiting > users.failing || compared === input.comparedBefore
  const progress = { total: users.bound, done: Math.max(0, users.bound - users.waiting) }
  if (status === 'active' && !statusReason && (working || due)) {
    await pause()
    return progress
  }
  const ended = { ...progress, finished: true }
  if (statusReason) return { ...ended, outcome: 'Stopped', error: statusReason }
  if (status === 'inactive') return { ...ended, outcome: 'Cancelled' }
  if (heldRemovals) return { ...ended, outcome: 'Removals wait for you' }
  const failing = users.failing + users.parked
  return failing > 0 ? { ...ended, outcome: `${failing} of ${users.bound} fail` } : ended
}
