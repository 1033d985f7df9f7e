import { findOidcApplication, type OidcApplication } from '../applications/index.ts'
import { html } from '../platform/html.ts'
import { endSession } from '../portal/index.ts'
import {
  beginLogout,
  layout,
  logoutOutcome,
  mayRecord,
  type Outcome,
  type Page,
  quoted,
  recordAttempt,
  type SignedIn,
  type Visitor,
} from '../signon/index.ts'
import { userActor } from '../users/index.ts'
import { subjectOf } from './claims.ts'
import type { OidcContext } from './context.ts'
import { readIdTokenHint } from './id-token-hint.ts'
import type { Params } from './params.ts'
import { attemptOf } from './record.ts'
import { isRegistered } from './redirect-uris.ts'
import { OidcRefusal } from './refusal.ts'
import { sessionIdFor } from './session-id.ts'

// OpenID Connect RP-Initiated Logout 1.0.

const PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']

interface LogoutRequest {
  hint: ReturnType<typeof readIdTokenHint> | undefined
  redirectUri: string | undefined
  state: string | undefined
}

function readRequest(
  context: OidcContext,
  application: OidcApplication,
  params: Params,
): LogoutRequest {
  const { clientId, postLogoutRedirectUris } = application
  const client = params.get('client_id')
  if (client !== undefined && client !== clientId)
    throw new OidcRefusal(
      'invalid_request',
      'client_differs',
      `client_id is "${quoted(client)}", but the URL is that of ${clientId}`,
    )
  const token = params.get('id_token_hint')
  const redirectUri = params.get('post_logout_redirect_uri')
  if (redirectUri !== undefined && !isRegistered(redirectUri, postLogoutRedirectUris))
    throw new OidcRefusal(
      'invalid_request',
      'redirect_uri_unknown',
      `"${quoted(redirectUri)}" is not registered (oidc.postLogoutRedirectUris)`,
    )
  return {
    hint: token === undefined ? undefined : readIdTokenHint(context, application, token),
    redirectUri,
    state: params.get('state'),
  }
}

/** Whether the ID token belongs to the session of this browser: then the client need not ask the user. */
const isMeant = (
  application: OidcApplication,
  { session, user }: SignedIn,
  { hint }: LogoutRequest,
): boolean =>
  hint !== undefined &&
  (hint.sid === undefined
    ? hint.sub === subjectOf(application, user.id)
    : hint.sid === sessionIdFor(application, session))

/** Any page can send a browser here, so without an ID token of this session the user decides. */
function confirmationPage(
  { displayLabel, clientId }: OidcApplication,
  { redirectUri }: LogoutRequest,
  params: Params,
): Page {
  const fields = [...params.query(PARAMETERS), ['confirmed', 'yes'] as const]
  const next = redirectUri === undefined ? '' : ` ${new URL(redirectUri).origin}`
  return {
    status: 200,
    script: false,
    formAction: `'self'${next}`,
    body: layout(
      'Sign out?',
      html`<p>${displayLabel} asks to sign you out, here and of your other applications.</p>
<form method="post" action="/oidc/${clientId}/logout">
${fields.map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
)}<div class="actions"><button type="submit">Sign out</button> <a href="/">Stay signed in</a></div>
</form>`,
    ),
  }
}

const misdirected = (status: number): Outcome => ({
  binding: 'page',
  status,
  title: 'Unable to sign out',
  text: 'The application sent an invalid sign-out request. You are still signed in.',
})

async function proceed(
  context: OidcContext,
  visitor: Visitor,
  application: OidcApplication,
  params: Params,
  confirmed: boolean,
): Promise<Outcome | Page> {
  const request = readRequest(context, application, params)
  const { organizationId, id, frontchannelLogoutUri, backchannelLogoutUri } = application
  const { redirectUri, state } = request
  const origin = { protocol: 'oidc' as const, applicationId: id, details: { redirectUri, state } }
  const person = await visitor.person()
  const found = person?.session.organizationId === organizationId ? person : undefined
  if (!found) return logoutOutcome(context.logout, organizationId, origin, undefined)
  if (!confirmed && !isMeant(application, found, request))
    return confirmationPage(application, request, params)
  // The client knows; but one that has registered for notices gets them in any case.
  const told = frontchannelLogoutUri !== '' || backchannelLogoutUri !== ''
  const token = await context.db.tx(organizationId, (tx) =>
    beginLogout(context.logout, tx, found.session, { origin, ...(!told && { except: id }) }),
  )
  const actor = { ...userActor(found.user, visitor.client), sessionId: found.session.id }
  await endSession(context, actor, found.session)
  return logoutOutcome(context.logout, organizationId, origin, token)
}

/** The end session endpoint. Errors are pages: nothing is redirected until the URI is verified. */
export async function requestLogout(
  context: OidcContext,
  visitor: Visitor,
  clientId: string,
  params: Params,
  confirmed: boolean,
): Promise<Outcome | Page> {
  const application = await findOidcApplication(context, clientId)
  if (!application) return misdirected(404)
  try {
    return await proceed(context, visitor, application, params, confirmed)
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error
    const { client } = visitor
    const attempt = {
      ...attemptOf(application, client, { refusal: error }),
      kind: 'logout' as const,
    }
    if (mayRecord(attempt))
      await context.db.tx(application.organizationId, (tx) => recordAttempt(tx, attempt))
    return misdirected(400)
  }
}
