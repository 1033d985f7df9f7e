import {
  findSsoApplication,
  findSsoApplicationById,
  type SsoApplication,
} from '../applications/index.ts'
import { endSession } from '../portal/index.ts'
import {
  type Attempt,
  beginLogout,
  logoutOutcome,
  mayRecord,
  type Outcome,
  partyPage,
  readRelay,
  recordAttempt,
  redirectTo,
  settle,
  signedOutPage,
  type Token,
  type Visitor,
} from '../signon/index.ts'
import { userActor } from '../users/index.ts'
import { endpointsOf, type SsoSliceContext } from './context.ts'
import { checkFrame, checkIssuer } from './inbound/check-frame.ts'
import type { Inbound } from './inbound/inbound.ts'
import { readLogoutRequest, readLogoutResponse } from './inbound/logout-messages.ts'
import { respond } from './logout-protocol.ts'
import { STATUS } from './names.ts'
import { refusalPage } from './outcome-pages.ts'
import { keepPending } from './pending.ts'
import { receivedText } from './redact.ts'
import { Refusal } from './refusal.ts'
import type { PendingLogout } from './sign-in-request.ts'
import { readParticipants, takePending } from './store.ts'

// Logout messages of applications (SAML Profiles §4.4). The session here ends first; then signon/logout.ts tells the
// other applications, and the one that asked gets its response.

/** Ends the browser's session if it is the one the application means. */
async function signOutFor(
  context: SsoSliceContext,
  visitor: Visitor,
  application: SsoApplication,
  ask: PendingLogout,
): Promise<Outcome> {
  const { organizationId, id } = application
  const person = await visitor.person()
  const found = person?.session.organizationId === organizationId ? person : undefined
  const session = found?.session
  const tenant = context.db.tenant(organizationId)
  const participants = session ? await readParticipants(tenant, organizationId, session.id) : []
  // NameIDs are easily guessed, and any page can send a browser here: an unsigned request must name the session index,
  // which only the application knows.
  const signed = application.config.spCertificates.length > 0
  const meant = participants.some(
    ({ application_id, name_id, session_index }) =>
      application_id === id &&
      name_id === ask.nameId &&
      (ask.sessionIndexes.length === 0 ? signed : ask.sessionIndexes.includes(session_index)),
  )
  if (session && !meant) {
    const explanation =
      signed || ask.sessionIndexes.length > 0
        ? 'The request names a user or session other than that of this browser'
        : 'Without a certificate of the service provider (spCertificate) the request must name the session (SessionIndex)'
    const refusal = new Refusal('no_session', explanation)
    await keepLogoutAttempt(context, visitor, application, refusal, ask.xml)
    const unknown = { code: STATUS.requester, second: STATUS.unknownPrincipal }
    return (await respond(application, ask, unknown)) ?? refusalPage(refusal)
  }
  const { requestId, relayState, binding } = ask
  const details = { requestId, relayState, binding }
  const origin = { protocol: 'saml' as const, applicationId: id, details }
  if (!found) return logoutOutcome(context.logout, organizationId, origin, undefined)
  const token = await context.db.tx(organizationId, (tx) =>
    beginLogout(context.logout, tx, found.session, { origin, except: id }),
  )
  const actor = { ...userActor(found.user, visitor.client), sessionId: found.session.id }
  await endSession(context, actor, found.session)
  return logoutOutcome(context.logout, organizationId, origin, token)
}

async function keepLogoutAttempt(
  { db }: SsoSliceContext,
  { client }: Visitor,
  application: SsoApplication,
  refusal: Refusal,
  request: string | undefined,
): Promise<void> {
  const attempt: Attempt = {
    kind: 'logout',
    application,
    client,
    idpInitiated: false,
    refusal,
    request,
  }
  if (mayRecord(attempt))
    await db.tx(application.organizationId, (tx) => recordAttempt(tx, attempt))
}

async function receiveLogoutRequest(
  context: SsoSliceContext,
  visitor: Visitor,
  application: SsoApplication,
  inbound: Inbound,
): Promise<Outcome> {
  const { config } = application
  const request = readLogoutRequest(inbound, config.spCertificates)
  const { slo } = endpointsOf(context, application)
  const now = Date.now()
  checkFrame(request, { spEntityId: config.spEntityId, destinations: [slo], now })
  if (request.notOnOrAfter !== undefined && request.notOnOrAfter <= now)
    throw new Refusal('stale', 'The request has expired (NotOnOrAfter)')
  const ask: PendingLogout = {
    kind: 'logout',
    requestId: request.id,
    nameId: request.nameId,
    sessionIndexes: request.sessionIndexes,
    relayState: inbound.relayState,
    binding: inbound.binding,
    xml: receivedText(inbound.xml),
  }
  // As with sign-in, a cross-site POST carries no cookie.
  if (inbound.binding === 'post') return redirectTo(await keepPending(context, application, ask))
  return signOutFor(context, visitor, application, ask)
}

/** An application's response to our logout request, in its frame of the logout page. */
async function receiveLogoutResponse(
  context: SsoSliceContext,
  application: SsoApplication,
  inbound: Inbound,
): Promise<Outcome> {
  const { config, organizationId, id } = application
  const response = readLogoutResponse(inbound, config.spCertificates)
  checkIssuer(response, config.spEntityId)
  const relay = readRelay(inbound.relayState ?? '')
  if (relay?.token.organizationId !== organizationId) return signedOutPage()
  const party = await settle(
    context,
    organizationId,
    relay.token.hash,
    relay.at,
    ({ applicationId, details }) => {
      if (applicationId !== id || details.requestId !== response.inResponseTo)
        throw new Refusal('wrong_message', 'InResponseTo is not the logout request that was sent')
      return { state: response.success ? 'done' : 'failed' }
    },
  )
  return party ? partyPage(party) : signedOutPage()
}

/** A logout message at /saml2/{slug}/logout. */
export async function receiveLogout(
  context: SsoSliceContext,
  visitor: Visitor,
  slug: string,
  read: () => Inbound,
): Promise<Outcome> {
  const application = await findSsoApplication(context, slug)
  if (!application) return refusalPage(new Refusal('no_access', 'Application not found'))
  let request: string | undefined
  try {
    const inbound = read()
    request = receivedText(inbound.xml)
    return inbound.parameter === 'SAMLResponse'
      ? await receiveLogoutResponse(context, application, inbound)
      : await receiveLogoutRequest(context, visitor, application, inbound)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await keepLogoutAttempt(context, visitor, application, error, request)
    return refusalPage(error)
  }
}

/** Continues after a cross-site POST, now that the browser sends its cookie. */
export async function resumeLogout(
  context: SsoSliceContext,
  visitor: Visitor,
  { organizationId, hash }: Token,
  applicationId: string,
  ask: PendingLogout,
): Promise<Outcome> {
  const waited = await takePending(context.db.tenant(organizationId), organizationId, hash)
  if (!waited) return signedOutPage()
  const application = await findSsoApplicationById(context, organizationId, applicationId)
  return application ? signOutFor(context, visitor, application, ask) : signedOutPage()
}
