import { randomUUID } from 'node:crypto'
import type { Static } from 'typebox'
import { findOidcApplicationById, type OidcApplication } from '../applications/index.ts'
import type { UserSession } from '../portal/index.ts'
import { type LogoutProtocol, type Party, redirectTo, settleLater } from '../signon/index.ts'
import { addressesOf, withAnswer } from './addresses.ts'
import { subjectOf } from './claims.ts'
import type { OidcContext } from './context.ts'
import { backChannelLogoutJob } from './job-definitions.ts'
import { signJwt } from './jwt.ts'
import { sessionIdFor } from './session-id.ts'
import { takeParticipants } from './store.ts'

// How clients hear of the end of a session: OpenID Connect Front-Channel and Back-Channel Logout 1.0.

const TOKEN_SECONDS = 120
/** Of one request. */
const REQUEST_MS = 8000
const MAX_ANSWER_BYTES = 65_536

/** Directly if possible: it needs neither the browser nor a cookie that frames do not get. */
const channelOf = (application: OidcApplication): Party['channel'] => {
  if (application.backchannelLogoutUri !== '') return 'back'
  return application.frontchannelLogoutUri === '' ? 'none' : 'front'
}

const namesOf = (application: OidcApplication, session: UserSession) => ({
  sub: subjectOf(application, session.userId),
  sid: sessionIdFor(application, session),
})

type Finder = Pick<OidcContext, 'db' | 'sealer'>

/** Takes them: each is told once. */
async function clientsOf(
  context: Finder,
  tx: Parameters<LogoutProtocol['parties']>[0],
  { organizationId, id }: UserSession,
): Promise<OidcApplication[]> {
  const rows = await takeParticipants(tx, organizationId, id)
  const found = await Promise.all(
    rows.map((row) => findOidcApplicationById(context, organizationId, row.application_id)),
  )
  return found.filter((application) => application !== undefined)
}

export const oidcLogout = (
  context: Pick<OidcContext, 'db' | 'sealer' | 'publicUrl' | 'send'>,
): LogoutProtocol => ({
  async parties(tx, session) {
    const clients = await clientsOf(context, tx, session)
    return clients.map((application) => ({
      protocol: 'oidc',
      applicationId: application.id,
      label: application.displayLabel,
      channel: channelOf(application),
      state: 'waiting',
      details: namesOf(application, session),
    }))
  },

  async message(organizationId, { applicationId, details: { sid } }) {
    const application = await findOidcApplicationById(context, organizationId, applicationId)
    if (!application || application.frontchannelLogoutUri === '') return undefined
    const { issuer: iss } = addressesOf(context, application)
    const location = withAnswer(application.frontchannelLogoutUri, { iss, sid })
    return { binding: 'redirect', location }
  },

  tellLater: (tx, { applicationId, details: { sub = '', sid = '' } }, reference) =>
    context.send(tx, backChannelLogoutJob, { ...reference, applicationId, sub, sid }),

  async respond(_, { details: { redirectUri, state } }) {
    return redirectUri === undefined ? undefined : redirectTo(withAnswer(redirectUri, { state }))
  },
})

/** Back-Channel Logout §2.4. */
const logoutToken = (
  context: Pick<OidcContext, 'publicUrl'>,
  application: OidcApplication,
  { sub, sid }: { sub: string; sid: string },
  now: number,
): Promise<string> =>
  signJwt(
    application.certificates.current,
    {
      iss: addressesOf(context, application).issuer,
      aud: application.clientId,
      iat: now,
      exp: now + TOKEN_SECONDS,
      jti: randomUUID(),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sub,
      sid,
    },
    'logout+jwt',
  )

type Notice = Static<typeof backChannelLogoutJob.payload>

/** Back-Channel Logout §2.5. An error is retried by the queue. */
export async function tellByBackChannel(context: OidcContext, notice: Notice): Promise<void> {
  const { organizationId, applicationId, logout, at } = notice
  const application = await findOidcApplicationById(context, organizationId, applicationId)
  if (!application || application.backchannelLogoutUri === '') return
  const settled = async (state: Party['state']) => {
    if (logout !== undefined && at !== undefined)
      await settleLater(context, { organizationId, logout, at }, { state })
  }
  try {
    const now = Math.floor(Date.now() / 1000)
    const token = await logoutToken(context, application, notice, now)
    const { status } = await context.outbound.request(application.backchannelLogoutUri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `logout_token=${token}`,
      totalMs: REQUEST_MS,
      maxBytes: MAX_ANSWER_BYTES,
    })
    // 204 is not in the specification, but frameworks send it.
    if (status !== 200 && status !== 204) throw new Error(`The client responded ${status}`)
    await settled('done')
  } catch (error) {
    await settled('failed')
    throw error
  }
}
