import type { OidcApplication } from '../applications/index.ts'
import { personOfSession } from '../portal/index.ts'
import { AdmissionDenied, admit, type Person, type SignedIn } from '../signon/index.ts'
import type { OidcContext } from './context.ts'
import { type OAuthError, OidcRefusal } from './refusal.ts'
import type { GrantRow } from './store.ts'

/** Admits the user to the application; maps a denial to the given OAuth error. */
export async function admitAs(
  context: OidcContext,
  application: OidcApplication,
  signedIn: SignedIn,
  withGroups: boolean,
  as: OAuthError,
): Promise<Person> {
  try {
    return await admit(context, application, signedIn, withGroups)
  } catch (error) {
    if (!(error instanceof AdmissionDenied)) throw error
    const { session, user } = signedIn
    // Never record a user of another tenant here.
    const own = session.organizationId === application.organizationId
    const known = own ? { id: user.id, username: user.username } : undefined
    throw new OidcRefusal(as, error.reason, error.message, { cause: error, user: known })
  }
}

/**
 * The user of a grant, in their current state. Refused if the session has ended or the user may no longer sign in or use
 * the application: a token grants no more than a sign-in would now.
 */
export async function holderOf(
  context: OidcContext,
  application: OidcApplication,
  { session_id, scopes }: GrantRow,
  as: OAuthError,
): Promise<Person> {
  const signedIn = await personOfSession(context, application.organizationId, session_id)
  if (!signedIn)
    throw new OidcRefusal(as, 'no_session', 'The session has ended, or the user may not sign in')
  return admitAs(context, application, signedIn, scopes.includes('groups'), as)
}
