import {
  findSsoApplication,
  findSsoApplicationById,
  type SsoApplication,
} from '../applications/index.ts'
import type { Queryable, Tx } from '../platform/db/index.ts'
import { endSession, type UserSession } from '../portal/index.ts'
import {
  type Attempt,
  mayRecord,
  type Outcome,
  recordAttempt,
  redirectTo,
  type Visitor,
} from '../signon/index.ts'
import { userActor } from '../users/index.ts'
import { endpointsOf, type SsoSliceContext } from './context.ts'
import { checkFrame, checkIssuer } from './inbound/check-frame.ts'
import type { Inbound } from './inbound/inbound.ts'
import { readLogoutRequest, readLogoutResponse } from './inbound/logout-messages.ts'
import { signingKeyOf } from './issue.ts'
import type { LogoutState, Origin } from './logout-state.ts'
import { newMessageId } from './messages/assertion.ts'
import { deliver, logoutRequest, logoutResponse } from './messages/logout.ts'
import type { Status } from './messages/response.ts'
import { type Binding, STATUS } from './names.ts'
import { refusalPage, signedOutPage } from './outcome-pages.ts'
import { keepPending, newToken, readToken, type Token } from './pending.ts'
import { receivedText } from './redact.ts'
import { Refusal } from './refusal.ts'
import type { PendingLogout } from './sign-in-request.ts'
import {
  deleteLogout,
  insertLogout,
  lockLogout,
  type ParticipantRow,
  readParticipants,
  saveLogout,
  takePending,
} from './store.ts'

// Single logout over the front channel (SAML Profiles §4.4): the session here ends first, then the browser goes from
// application to application, and back to the one that asked.

/** Generous, so that slow applications can finish; the session here has already ended. */
const LOGOUT_SECONDS = 15 * 60
const REQUEST_MS = 5 * 60_000

const frameTo = ({ config }: SsoApplication, destination: string, inResponseTo?: string) => ({
  id: newMessageId(),
  now: Date.now(),
  issuer: config.idpEntityId,
  destination,
  inResponseTo,
})

/** The binding the service provider accepts, which may differ from the one it used. */
const bindingOf = ({ config }: SsoApplication, asked: Binding = 'redirect'): Binding =>
  config.sloBinding ?? asked

async function begin(
  db: Queryable,
  organizationId: string,
  waiting: ParticipantRow[],
  origin?: Origin,
): Promise<Token> {
  const token = newToken(organizationId)
  const state: LogoutState = { waiting, failed: [], unreached: [], ...(origin && { origin }) }
  await insertLogout(db, organizationId, { hash: token.hash, state, seconds: LOGOUT_SECONDS })
  return token
}

/** The end of the logout: a response to the application that asked, or a page. */
async function finish(context: SsoSliceContext, organizationId: string, state: LogoutState) {
  const { origin, failed, unreached } = state
  const application =
    origin && (await findSsoApplicationById(context, organizationId, origin.applicationId))
  if (!origin || !application) return signedOutPage([...unreached, ...failed])
  const partial: Status = { code: STATUS.responder, second: STATUS.partialLogout }
  return respond(application, origin, failed.length === 0 ? { code: STATUS.success } : partial)
}

async function respond(
  application: SsoApplication,
  { requestId, relayState, binding }: Omit<Origin, 'applicationId'>,
  status: Status,
): Promise<Outcome> {
  const { sloResponseUrl } = application.config
  if (sloResponseUrl === '') return signedOutPage([])
  return deliver(logoutResponse(frameTo(application, sloResponseUrl, requestId), status), {
    binding: bindingOf(application, binding),
    destination: sloResponseUrl,
    parameter: 'SAMLResponse',
    relayState,
    key: signingKeyOf(application),
  })
}

interface Step {
  state: LogoutState
  next?: { application: SsoApplication; participant: ParticipantRow; requestId: string }
}

/** Moves on to the next application that has a logout URL. */
async function advance(
  context: SsoSliceContext,
  organizationId: string,
  state: LogoutState,
): Promise<Step> {
  const [participant, ...waiting] = state.waiting
  const { current: _, ...rest } = state
  if (!participant) return { state: rest }
  const id = participant.application_id
  const application = await findSsoApplicationById(context, organizationId, id)
  if (!application || application.config.sloUrl === '') {
    const unreached = application ? [...state.unreached, application.displayLabel] : state.unreached
    return advance(context, organizationId, { ...rest, waiting, unreached })
  }
  const requestId = newMessageId()
  return {
    state: { ...rest, waiting, current: { applicationId: id, requestId } },
    next: { application, participant, requestId },
  }
}

/** Applies `change` to the stored state and advances the logout by one step. */
async function goOn(
  context: SsoSliceContext,
  { organizationId, hash, text }: Token,
  change: (state: LogoutState) => LogoutState = (state) => state,
): Promise<Outcome> {
  const step = await context.db.tx(organizationId, async (tx) => {
    const row = await lockLogout(tx, organizationId, hash)
    if (!row) return undefined
    const made = await advance(context, organizationId, change(row.state as LogoutState))
    if (made.next) await saveLogout(tx, organizationId, hash, made.state)
    else await deleteLogout(tx, organizationId, hash)
    return made
  })
  if (!step) return signedOutPage([])
  if (!step.next) return finish(context, organizationId, step.state)
  const { application, participant, requestId } = step.next
  const { name_id: value, name_id_format: format, session_index: sessionIndex } = participant
  const now = Date.now()
  const { sloUrl } = application.config
  const frame = { ...frameTo(application, sloUrl), id: requestId, notOnOrAfter: now + REQUEST_MS }
  return deliver(logoutRequest(frame, { nameId: { value, format }, sessionIndex }), {
    binding: bindingOf(application),
    destination: sloUrl,
    parameter: 'SAMLRequest',
    relayState: text,
    key: signingKeyOf(application),
  })
}

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
    return application.config.sloResponseUrl === ''
      ? refusalPage(refusal)
      : respond(application, ask, unknown)
  }
  const { requestId, relayState, binding } = ask
  const others = participants.filter(({ application_id }) => application_id !== id)
  const origin = { applicationId: id, requestId, relayState, binding }
  const token = await begin(tenant, organizationId, others, origin)
  if (found) {
    const actor = { ...userActor(found.user, visitor.client), sessionId: found.session.id }
    await endSession(context, actor, found.session)
  }
  return goOn(context, token)
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

/** An application's response to our logout request. */
async function receiveLogoutResponse(
  context: SsoSliceContext,
  application: SsoApplication,
  inbound: Inbound,
): Promise<Outcome> {
  const { config, organizationId, id, displayLabel } = application
  const response = readLogoutResponse(inbound, config.spCertificates)
  checkIssuer(response, config.spEntityId)
  const token = readToken(inbound.relayState ?? '')
  if (token?.organizationId !== organizationId) return signedOutPage([])
  return goOn(context, token, (state) => {
    const { current } = state
    if (current?.applicationId !== id || current.requestId !== response.inResponseTo)
      throw new Refusal('wrong_message', 'InResponseTo is not the logout request last sent')
    return response.success ? state : { ...state, failed: [...state.failed, displayLabel] }
  })
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
  if (!waited) return signedOutPage([])
  const application = await findSsoApplicationById(context, organizationId, applicationId)
  return application ? signOutFor(context, visitor, application, ask) : signedOutPage([])
}

/** Where the browser continues after signing out in the portal; undefined if no application needs a logout request. */
export const signOutAddress = async (tx: Tx, session: UserSession): Promise<string | undefined> => {
  const { organizationId, id } = session
  const participants = await readParticipants(tx, organizationId, id)
  if (participants.length === 0) return undefined
  const token = await begin(tx, organizationId, participants)
  return `/saml2/logout/${token.text}`
}

export async function continueLogout(context: SsoSliceContext, text: string): Promise<Outcome> {
  const token = readToken(text)
  return token ? goOn(context, token) : signedOutPage([])
}
