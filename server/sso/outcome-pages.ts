import type { Outcome } from '../signon/index.ts'
import type { Reason, Refusal } from './refusal.ts'

/** Reasons for which a different account may help. */
const OTHER_ACCOUNT: readonly Reason[] = ['no_access', 'user_state', 'subject_differs']
const FORBIDDEN: readonly Reason[] = ['no_access', 'user_state', 'not_provisioned']

export const refusalPage = ({ reason, kind }: Refusal, again?: string): Outcome => ({
  binding: 'page',
  status: FORBIDDEN.includes(reason) ? 403 : 400,
  title: 'Unable to sign in',
  text: kind.person,
  ...(again !== undefined && OTHER_ACCOUNT.includes(reason) && { again }),
})

export const signedOutPage = (unreached: string[]): Outcome => ({
  binding: 'page',
  status: 200,
  title: 'Signed out',
  text:
    unreached.length === 0
      ? 'You are signed out.'
      : `You are signed out here. You may still be signed in to ${unreached.join(', ')}. To be sure, close your browser.`,
})
