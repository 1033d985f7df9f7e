import { findOidcApplication, type OidcApplication } from '../applications/index.ts'
import { codeOf } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import { signInAddress } from '../portal/index.ts'
import {
  type Outcome,
  type Person,
  recordAttempt,
  redirectTo,
  type SignedIn,
  type Visitor,
} from '../signon/index.ts'
import { addressesOf, authorizePath, withAnswer } from './addresses.ts'
import {
  type AuthorizationRequest,
  afterSignIn,
  readAuthorizationRequest,
  readRedirectUri,
} from './authorization-request.ts'
import { subjectOf } from './claims.ts'
import type { OidcContext } from './context.ts'
import { admitAs } from './holder.ts'
import { readIdTokenHint } from './id-token-hint.ts'
import type { Params } from './params.ts'
import { attemptOf, recordRefusal } from './record.ts'
import { OidcRefusal } from './refusal.ts'
import { insertGrant, insertParticipant } from './store.ts'

// The authorization endpoint: RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.

/** RFC 6749 §4.1.2 allows ten minutes; clients redeem a code at once. */
const CODE_SECONDS = 60

const page = (status: number, text: string): Outcome => ({
  binding: 'page',
  status,
  title: 'Unable to sign in',
  text,
})
/** Unknown, deleted or inactive: the page does not reveal which. */
const unavailable = () =>
  page(403, 'You do not have access to this application. If you need it, ask your administrator.')
const misdirected = () =>
  page(400, 'The application sent an invalid sign-in request. Contact your administrator.')

/** The grant and its event commit together, before the browser gets the code. */
async function grant(
  { db }: OidcContext,
  { client }: Visitor,
  application: OidcApplication,
  request: AuthorizationRequest,
  { session, user }: Person,
): Promise<string> {
  const { organizationId, id } = application
  const code = randomToken()
  await db.tx(organizationId, async (tx) => {
    await insertGrant(tx, organizationId, id, {
      id: newId(),
      session_id: session.id,
      code_hash: sha256(code),
      seconds: CODE_SECONDS,
      redirect_uri: request.redirectUri,
      challenge: request.challenge ?? null,
      nonce: request.nonce ?? null,
      scopes: request.scopes,
      public_client: application.secretHash === null,
      authenticated_at: session.authenticatedAt.toISOString(),
      methods: session.methods,
    })
    await insertParticipant(tx, organizationId, session.id, id)
    const known = { id: user.id, username: user.username ?? '' }
    const mfa = session.methods.length > 1
    await recordAttempt(tx, attemptOf(application, client, { user: known, mfa }))
  })
  return code
}

const isFresh = ({ session }: SignedIn, { freshSince }: AuthorizationRequest): boolean =>
  freshSince === undefined || session.authenticatedAt.getTime() >= freshSince

/** OpenID Connect Core §3.1.2.1: the user that the client expects, if it says so. */
const isExpected = (
  context: OidcContext,
  application: OidcApplication,
  { user }: SignedIn,
  { idTokenHint }: AuthorizationRequest,
): boolean =>
  idTokenHint === undefined ||
  readIdTokenHint(context, application, idTokenHint).sub === subjectOf(application, user.id)

/** Redirects with a code if the user is signed in as the request requires, otherwise to the sign-in page. */
async function proceed(
  context: OidcContext,
  visitor: Visitor,
  application: OidcApplication,
  params: Params,
  request: AuthorizationRequest,
): Promise<Outcome> {
  const { organizationId } = application
  const signIn = (fresh: boolean) => {
    const comeBack = authorizePath(application, afterSignIn(params, request))
    const { loginHint: identifier } = request
    return redirectTo(signInAddress(comeBack, { fresh, organizationId, identifier }))
  }
  const signedIn = await visitor.person()
  const expected = signedIn && isExpected(context, application, signedIn, request)
  if (!signedIn || !expected || !isFresh(signedIn, request)) {
    if (request.silent)
      throw new OidcRefusal(
        'login_required',
        'passive',
        'The user is not signed in, or must sign in again, and the request forbids a page (prompt none)',
      )
    return signIn(request.freshSince !== undefined || expected === false)
  }
  try {
    const person = await admitAs(context, application, signedIn, false, 'access_denied')
    const code = await grant(context, visitor, application, request, person)
    const { issuer: iss } = addressesOf(context, application)
    return redirectTo(withAnswer(request.redirectUri, { code, state: request.state, iss }))
  } catch (error) {
    // Foreign key violation: the session has ended since it was read.
    if (codeOf(error) === '23503') return signIn(false)
    throw error
  }
}

/** Reports the error to the client at its redirect URI (RFC 6749 §4.1.2.1). */
async function refuse(
  context: OidcContext,
  visitor: Visitor,
  application: OidcApplication,
  { redirectUri, params }: { redirectUri: string; params: Params },
  refusal: OidcRefusal,
): Promise<Outcome> {
  await recordRefusal(context, application, visitor.client, refusal)
  return redirectTo(
    withAnswer(redirectUri, {
      error: refusal.error,
      error_description: refusal.description,
      state: stateIn(params),
      iss: addressesOf(context, application).issuer,
    }),
  )
}

/** The state itself may be the invalid parameter. */
function stateIn(params: Params): string | undefined {
  try {
    return params.get('state')
  } catch {
    return undefined
  }
}

export async function authorize(
  context: OidcContext,
  visitor: Visitor,
  clientId: string,
  params: Params,
): Promise<Outcome> {
  const application = await findOidcApplication(context, clientId)
  if (!application) return unavailable()
  const { client } = visitor
  if (!application.active) {
    const message = 'The application is not active'
    const inactive = new OidcRefusal('access_denied', 'no_access', message)
    await recordRefusal(context, application, client, inactive)
    return unavailable()
  }
  let redirectUri: string
  try {
    redirectUri = readRedirectUri(application, params)
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error
    await recordRefusal(context, application, client, error)
    return misdirected()
  }
  try {
    const request = readAuthorizationRequest(application, redirectUri, params, Date.now())
    return await proceed(context, visitor, application, params, request)
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error
    return refuse(context, visitor, application, { redirectUri, params }, error)
  }
}
