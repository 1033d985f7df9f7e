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
