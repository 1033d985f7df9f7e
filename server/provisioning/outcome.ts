import { backoff } from '../platform/outbound/retry.ts'
import type { ScimFailure } from '../scim/index.ts'
import type { AccountResult, AccountRow } from './account-store.ts'
import type { Desired } from './evaluate.ts'
import type { Pushed } from './push-user.ts'
import type { AccountState } from './schema.ts'
import type { Settings } from './settings.ts'

/** A provider that fails for one account this long will not mend by itself. */
const PATIENCE_MS = 24 * 3_600_000
const DAY_MS = 86_400_000

const iso = (time: number): string => new Date(time).toISOString()

const unfailed = {
  attempts: 0,
  failing_since: null,
  error_kind: null,
  error: null,
  parked: false,
}

/** What stays as it was read. */
const kept = (row: AccountRow, { user, bound }: Desired) => ({
  user_id: row.user_id,
  revision: row.revision,
  username: user?.username ?? row.username,
  bound,
  remote_id: row.remote_id,
  written: row.written,
  state: row.state,
  removal_since: row.removal_since,
  removal_confirmed: row.removal_confirmed,
  removed_at: null,
  removal_ms: null,
  delete_at: row.delete_at,
})

/** Nothing had to be written. */
export const settled = (row: AccountRow, desired: Desired, state: AccountState): AccountResult => ({
  ...kept(row, desired),
  ...unfailed,
  state,
  removal_since: null,
  removal_confirmed: false,
  delete_at: state === 'deactivated' ? row.delete_at : null,
  next_at: state === 'deactivated' ? row.delete_at : null,
})

/** The provider has confirmed the step. */
export function succeeded(
  row: AccountRow,
  desired: Desired,
  { state, remoteId, written }: Pushed,
  { deprovision }: Pick<Settings, 'deprovision'>,
  now: number,
): AccountResult {
  const ended = desired.wanted !== 'present' && row.state === 'provisioned'
  const since = row.removal_since === null ? now : Date.parse(row.removal_since)
  const deleteAt =
    state === 'deactivated' && deprovision.action === 'delete_after'
      ? (row.delete_at ?? iso(now + deprovision.days! * DAY_MS))
      : null
  return {
    ...kept(row, desired),
    ...unfailed,
    state,
    remote_id: remoteId,
    written,
    removal_since: null,
    removal_confirmed: false,
    ...(ended && { removed_at: iso(now), removal_ms: Math.max(0, now - since) }),
    delete_at: deleteAt,
    next_at: deleteAt,
  }
}

/** Tried again later, or parked for an administrator. */
export function failed(
  row: AccountRow,
  desired: Desired,
  failure: Pick<ScimFailure, 'kind' | 'message' | 'retryAfterMs'>,
  now: number,
): AccountResult {
  const attempts = row.attempts + 1
  const since = row.failing_since === null ? now : Date.parse(row.failing_since)
  const again =
    failure.kind === 'misconfigured' || (failure.kind === 'transient' && now - since < PATIENCE_MS)
  const wait = failure.retryAfterMs > 0 ? failure.retryAfterMs : backoff(attempts)
  return {
    ...kept(row, desired),
    attempts,
    failing_since: iso(since),
    error_kind: failure.kind,
    error: failure.message,
    parked: !again,
    next_at: again ? iso(now + wait) : null,
  }
}
