import {
  findSsoApplication,
  findSsoApplicationById,
  type SsoApplication,
} from '../applications/index.ts'
import { isUniqueViolation } from '../platform/db/index.ts'
import { codeOf } from '../platform/errors.ts'
import { signInAddress, type UserSession } from '../portal/index.ts'
import {
  AdmissionDenied,
  admit,
  type Outcome,
  type Person,
  readToken,
  recordAttempt,
  redirectTo,
  type SignedIn,
  type Token,
  type Visitor,
} from '../signon/index.ts'
import { endpointsOf, type SsoSliceContext } from './context.ts'
import { readAuthnRequest } from './inbound/authn-request.ts'
import { checkFrame } from './inbound/check-frame.ts'
import { checkResponseBinding, chooseAcs } from './inbound/choose-acs.ts'
import type { Inbound } from './inbound/inbound.ts'
import { type Issued, issue } from './issue.ts'
import { refusalPage } from './outcome-pages.ts'
import { joinSession } from './participants.ts'
import { keepPending, peekPending, resumePath } from './pending.ts'
import { receivedText } from './redact.ts'
import { Refusal } from './refusal.ts'
import { ANSWERED_SECONDS, refuse, requestHash, responseForm, type Situation } from './refuse.ts'
import type { SignInRequest } from './sign-in-request.ts'
import { ANSWERED_ONCE, insertAnswered, takePending } from './store.ts'

// Sign-on to an application: SP-initiated (with a request) or IdP-initiated (without).

/** Unknown, deleted or inactive: the same page as for a user without access. */
const unavailable = (slug: string): Outcome =>
  refusalPage(
    new Refusal('no_access', 'Application not found'),
    signInAddress(`/saml2/${encodeURIComponent(slug)}`, { fresh: true }),
  )

function configuredEntity({ config }: SsoApplication): string {
  if (config.spEntityId === '')
    throw new Refusal('not_configured', 'The application has no SP Entity ID (spEntityId)')
  return config.spEntityId
}

/** All checks of a request that do not need the user. */
function readAsk(
  context: SsoSliceContext,
  application: SsoApplication,
  inbound: Inbound,
  now: number,
): SignInRequest {
  const { config } = application
  const spEntityId = configuredEntity(application)
  const request = readAuthnRequest(inbound, config.spCertificates)
  const { ssoDestinations } = endpointsOf(context, application)
  checkFrame(request, { spEntityId, destinations: ssoDestinations, now })
  const acsUrl = chooseAcs(request, config)
  checkResponseBinding(request)
  const { nameIdPolicy, requestedContext, subject } = request
  return {
    kind: 'sign-in',
    requestId: request.id,
    acsUrl,
    relayState: inbound.relayState,
    forceAuthn: request.forceAuthn,
    isPassive: request.isPassive,
    receivedAt: now,
    xml: receivedText(inbound.xml),
    ...(nameIdPolicy && { nameIdPolicy }),
    ...(requestedContext && { requestedContext }),
    ...(subject !== undefined && { subject }),
  }
}

const isFresh = ({ authenticatedAt }: UserSession, ask: SignInRequest): boolean =>
  !ask.forceAuthn || authenticatedAt.getTime() >= ask.receivedAt

/** The replay guard, the pending request, the session and the attempt commit together, before the response is sent. */
async function commit(
  { db }: SsoSliceContext,
  { client }: Visitor,
  application: SsoApplication,
  ask: SignInRequest,
  { person, issued, token }: { person: Person; issued: Issued; token: Token | undefined },
): Promise<void> {
  const { organizationId, id } = application
  const { session, user } = person
  const answered = { applicationId: id, seconds: ANSWERED_SECONDS }
  try {
    await db.together(organizationId, (tx) =>
      Promise.all([
        ask.requestId !== undefined &&
          insertAnswered(tx, organizationId, { ...answered, hash: requestHash(ask.requestId) }),
        token && takePending(tx, organizationId, token.hash),
        joinSession(tx, organizationId, session.id, id, issued),
        recordAttempt(tx, {
          kind: 'sign-in',
          application,
          client,
          idpInitiated: ask.requestId === undefined,
          user: { id: user.id, username: user.username ?? '' },
          mfa: session.methods.length > 1,
          request: ask.xml,
          response: issued.shown,
        }),
      ]),
    )
  } catch (error) {
    if (!isUniqueViolation(error, ANSWERED_ONCE)) throw error
    throw new Refusal('replayed', 'A request with this ID has already been answered', {
      cause: error,
    })
  }
}

/** Answers for a user who is signed in as the request requires. */
async function answer(
  context: SsoSliceContext,
  visitor: Visitor,
  application: SsoApplication,
  ask: SignInRequest,
  signedIn: SignedIn,
  token?: Token,
): Promise<Outcome> {
  try {
    const withGroups = application.config.groupsAttribute !== undefined
    const person = await admit(context, application, signedIn, withGroups)
    configuredEntity(application)
    const issued = await issue(application, ask, person, Date.now())
    await commit(context, visitor, application, ask, { person, issued, token })
    return responseForm(ask, issued.xml)
  } catch (error) {
    // Foreign key violation: the session has ended since it was read.
    if (codeOf(error) === '23503') return redirectTo(signInAddress(`/saml2/${application.slug}`))
    const refusal =
      error instanceof AdmissionDenied ? new Refusal(error.reason, error.message) : error
    if (!(refusal instanceof Refusal)) throw error
    const { user, session } = signedIn
    return refuse(context, visitor, application, refusal, {
      ask,
      token,
      // Never record a user of another tenant here.
      user: session.organizationId === application.organizationId ? user : undefined,
      idpInitiated: ask.requestId === undefined,
    })
  }
}

/** Answers at once, or after the user has signed in. */
async function proceed(
  context: SsoSliceContext,
  visitor: Visitor,
  application: SsoApplication,
  ask: SignInRequest,
  { token, comeBack }: { token?: Token; comeBack: () => Promise<string> },
): Promise<Outcome> {
  const signedIn = await visitor.person()
  if (signedIn && isFresh(signedIn.session, ask))
    return answer(context, visitor, application, ask, signedIn, token)
  if (ask.isPassive) {
    const refusal = new Refusal(
      'passive',
      'The user is not signed in, or must sign in again, and the request is passive (IsPassive)',
    )
    return refuse(context, visitor, application, refusal, { ask, token, idpInitiated: false })
  }
  const hints = { fresh: ask.forceAuthn, organizationId: application.organizationId }
  return redirectTo(signInAddress(await comeBack(), hints))
}

/** An AuthnRequest at /saml2/{slug}. */
export async function receiveRequest(
  context: SsoSliceContext,
  visitor: Visitor,
  slug: string,
  read: () => Inbound,
): Promise<Outcome> {
  const application = await findSsoApplication(context, slug)
  if (!application) return unavailable(slug)
  const situation: Situation = { idpInitiated: false }
  try {
    const inbound = read()
    situation.request = receivedText(inbound.xml)
    if (!application.active) throw new Refusal('no_access', 'The application is not active')
    const ask = readAsk(context, application, inbound, Date.now())
    const comeBack = () => keepPending(context, application, ask)
    // A cross-site POST carries no cookie (SameSite), so redirect the browser to a GET.
    if (inbound.binding === 'post') return redirectTo(await comeBack())
    return await proceed(context, visitor, application, ask, { comeBack })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refuse(context, visitor, application, error, situation)
  }
}

/** A redirect to ourselves would loop. Compares origins: another host name may start with ours. */
const isOurs = ({ publicUrl }: SsoSliceContext, address: string): boolean =>
  URL.parse(address)?.origin === new URL(publicUrl).origin

/** IdP-initiated sign-on. */
export async function startHere(
  context: SsoSliceContext,
  visitor: Visitor,
  slug: string,
  relayState: string | undefined,
): Promise<Outcome> {
  const application = await findSsoApplication(context, slug)
  if (!application) return unavailable(slug)
  const { config, active } = application
  try {
    if (!active) throw new Refusal('no_access', 'The application is not active')
    const { idpInitUrl, defaultRelayState } = config
    if (idpInitUrl !== '' && !isOurs(context, idpInitUrl)) return redirectTo(idpInitUrl)
    const ask: SignInRequest = {
      kind: 'sign-in',
      acsUrl: chooseAcs(
        { acsUrl: undefined, acsIndex: undefined, protocolBinding: undefined },
        config,
      ),
      relayState: relayState ?? (defaultRelayState || undefined),
      forceAuthn: false,
      isPassive: false,
      receivedAt: Date.now(),
    }
    const query =
      relayState === undefined ? '' : `?${new URLSearchParams({ RelayState: relayState })}`
    const comeBack = async () => `/saml2/${application.slug}${query}`
    return await proceed(context, visitor, application, ask, { comeBack })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refuse(context, visitor, application, error, { idpInitiated: true })
  }
}

/** Continues the pending request after the sign-in. */
export async function resumeSignIn(
  context: SsoSliceContext,
  visitor: Visitor,
  token: Token,
  applicationId: string,
  ask: SignInRequest,
): Promise<Outcome> {
  const { organizationId } = token
  const application = await findSsoApplicationById(context, organizationId, applicationId)
  if (!application?.active) return unavailable(application?.slug ?? '')
  // The registered addresses may have changed meanwhile.
  if (!application.config.acsUrls.some(({ url }) => url === ask.acsUrl)) {
    const refusal = new Refusal('acs_unknown', `"${ask.acsUrl}" is no longer registered (acsUrl)`)
    return refuse(context, visitor, application, refusal, {
      idpInitiated: false,
      request: ask.xml,
    })
  }
  const comeBack = async () => resumePath(token)
  return proceed(context, visitor, application, ask, { token, comeBack })
}

export const gonePage = (): Outcome =>
  refusalPage(new Refusal('gone', 'The pending request has expired or has already been answered'))

export async function findWaiting(context: Pick<SsoSliceContext, 'db'>, text: string) {
  const token = readToken(text)
  const waiting = token && (await peekPending(context, token))
  return waiting && { token, ...waiting }
}
