import { conflict, invalid } from '../platform/errors.ts'
import type { MfaWindow } from './fields.ts'
import type { UserState } from './schema.ts'

/**
 *   STAGED ───► ACTIVATED ◄──► SUSPENDED        Nothing leads back to STAGED; a STAGED user can be
 *      └───────────────────────────▲            suspended as well.
 */
type Transition = 'activated' | 'suspended' | 'unsuspended'

/** The event type of each transition. */
export const EVENT_OF: Record<Transition, string> = {
  activated: 'user_activated',
  suspended: 'user_suspended',
  unsuspended: 'user_unsuspended',
}

/** The transition between two states; null when they are equal. */
export function transitionBetween(from: UserState, to: UserState): Transition | null {
  if (from === to) return null
  if (to === 'STAGED') throw invalid('state_staged', 'state: a user cannot become STAGED again')
  if (to === 'SUSPENDED') return 'suspended'
  return from === 'STAGED' ? 'activated' : 'unsuspended'
}

interface StateRequest {
  state?: UserState | null | undefined
  suspended?: boolean | null | undefined
}

/** `suspended` is the older form of `state`, so the two must agree. */
function checkAgreement({ state, suspended }: StateRequest): void {
  if (state === null || state === undefined || suspended === null || suspended === undefined) return
  if ((state === 'SUSPENDED') !== suspended) {
    throw invalid('state_contradiction', `state: ${state} contradicts suspended: ${suspended}`)
  }
}

/** The state of a new user: the requested one, or the organization's default for this entry way. */
export function initialState(request: StateRequest, byDefault: UserState): UserState {
  checkAgreement(request)
  if (request.state) return request.state
  return request.suspended ? 'SUSPENDED' : byDefault
}

/** The state a PUT requests. Sending the record back unchanged changes nothing. */
export function requestedState(current: UserState, request: StateRequest): UserState {
  checkAgreement(request)
  const { state, suspended } = request
  if (state) return state
  if (suspended === true) return 'SUSPENDED'
  return suspended === false && current === 'SUSPENDED' ? 'ACTIVATED' : current
}

/** state/activate, for STAGED users. A repeated call does nothing; a suspended user must be reactivated. */
export function activation(current: UserState): Transition | null {
  if (current === 'SUSPENDED') {
    throw conflict('user_suspended', 'The user is SUSPENDED; only a STAGED user can be activated')
  }
  return transitionBetween(current, 'ACTIVATED')
}

/** A window given in days starts when the user becomes ACTIVATED. */
export function openMfaWindow(
  mfa: MfaWindow | undefined,
  state: UserState,
  now: Date,
): MfaWindow | undefined {
  if (!mfa?.exclusion || mfa.exclusionUntil || !mfa.exclusionDays || state !== 'ACTIVATED')
    return mfa
  const until = new Date(now.getTime() + mfa.exclusionDays * 86_400_000).toISOString()
  return { ...mfa, exclusionUntil: until }
}
