import type { OidcApplication } from '../applications/index.ts'
import { personOfSession } from '../portal/index.ts'
import { AdmissionDenied, admit, type Person, type SignedIn } from '../signon/index.ts'
import type { OidcContext } from './context.ts'
import { type OAuthError, OidcRefusal } from './refusal.ts'
import type { GrantRow } from './store.ts'

/** Whether the application may be told, at this moment; why not, in the words of the protocol. */
export async function admitAs(
  context: OidcContext,
  application: OidcApplication,
  signedIn: SignedIn,
  tellsGroups: boolean,
  as: OAuthError,
): Promise<Person> {
  try {
    return await admit(context, application, signedIn, tellsGroups)
  } catch (error) {
    if (!(error instanceof AdmissionDenied)) throw error
    const { session, user } = signedIn
    // Nothing of a person of another tenant is written down here.
    const own = session.organizationId === application.organizationId
    const known = own ? { id: user.id, username: user.username } : undefined
    throw new OidcRefusal(as, error.reason, error.message, { cause: error, user: known })
  }
}

/**
 * Whose grant it is, as they are at this moment. Refused when the session has ended, or the person may not sign in or use
 * the application any more: a token is worth as much as a sign-in would be now.
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
