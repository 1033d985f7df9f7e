import { findSsoApplicationById, type SsoApplication } from '../applications/index.ts'
import {
  type LogoutProtocol,
  type Outcome,
  type Party,
  type PartyReference,
  partyOf,
  settleLater,
} from '../signon/index.ts'
import type { SsoSliceContext } from './context.ts'
import { readSoapLogoutResponse } from './inbound/logout-messages.ts'
import { signingKeyOf } from './issue.ts'
import { soapLogoutJob } from './job-definitions.ts'
import { newMessageId } from './messages/assertion.ts'
import { deliver, logoutRequest, logoutResponse } from './messages/logout.ts'
import type { Status } from './messages/response.ts'
import { inEnvelope } from './messages/soap.ts'
import { type Binding, STATUS } from './names.ts'
import type { PendingLogout } from './sign-in-request.ts'
import { takeParticipants } from './store.ts'

// How applications of SAML are told about a logout, and how the one that asked for it gets its response.

const REQUEST_MS = 5 * 60_000
/** Of one SOAP request: short, so that the page still has time for a frame. */
const SOAP_MS = 4000
const MAX_SOAP_BYTES = 65_536

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

/** Undefined: the application has no address for it. */
export async function respond(
  application: SsoApplication,
  { requestId, relayState, binding }: Pick<PendingLogout, 'requestId' | 'relayState' | 'binding'>,
  status: Status,
): Promise<Outcome | undefined> {
  const { sloResponseUrl } = application.config
  if (sloResponseUrl === '') return undefined
  return deliver(logoutResponse(frameTo(application, sloResponseUrl, requestId), status), {
    binding: bindingOf(application, binding),
    destination: sloResponseUrl,
    parameter: 'SAMLResponse',
    relayState,
    key: signingKeyOf(application),
  })
}

/** SOAP first: it needs neither the browser nor a cookie that frames do not get. */
const channelOf = ({ sloSoapUrl, sloUrl }: SsoApplication['config']): Party['channel'] => {
  if (sloSoapUrl !== '') return 'back'
  return sloUrl === '' ? 'none' : 'front'
}

function requestTo(application: SsoApplication, destination: string, { details }: Party) {
  const { requestId, nameId = '', format = '', sessionIndex = '' } = details
  const frame = frameTo(application, destination)
  return logoutRequest(
    { ...frame, id: requestId ?? frame.id, notOnOrAfter: frame.now + REQUEST_MS },
    { nameId: { value: nameId, format }, sessionIndex },
  )
}

export const samlLogout = (
  context: Pick<SsoSliceContext, 'db' | 'sealer' | 'send'>,
): LogoutProtocol => ({
  async parties(tx, { organizationId, id }) {
    const rows = await takeParticipants(tx, organizationId, id)
    const found = await Promise.all(
      rows.map(async (row): Promise<Party[]> => {
        const application = await findSsoApplicationById(
          context,
          organizationId,
          row.application_id,
        )
        if (!application) return []
        return [
          {
            protocol: 'saml',
            applicationId: application.id,
            label: application.displayLabel,
            channel: channelOf(application.config),
            state: 'waiting',
            details: {
              requestId: newMessageId(),
              nameId: row.name_id,
              format: row.name_id_format,
              sessionIndex: row.session_index,
            },
          },
        ]
      }),
    )
    return found.flat()
  },

  async message(organizationId, party, relay) {
    const { applicationId } = party
    const application = await findSsoApplicationById(context, organizationId, applicationId)
    if (!application || application.config.sloUrl === '') return undefined
    const { sloUrl } = application.config
    return deliver(requestTo(application, sloUrl, party), {
      binding: bindingOf(application),
      destination: sloUrl,
      parameter: 'SAMLRequest',
      relayState: relay,
      key: signingKeyOf(application),
    })
  },

  tellLater: (tx, _, reference) => context.send(tx, soapLogoutJob, reference),

  async respond(organizationId, { applicationId, details }, complete) {
    const application = await findSsoApplicationById(context, organizationId, applicationId)
    if (!application) return undefined
    const { requestId = '', relayState, binding } = details
    const ask = { requestId, relayState, binding: binding as Binding }
    // Success first: the application itself is signed out, and many show an error for any other status.
    const partial: Status = { code: STATUS.success, second: STATUS.partialLogout }
    return respond(application, ask, complete ? { code: STATUS.success } : partial)
  },
})

/** SAML Bindings §3.2: the request goes straight to the service provider. */
export async function tellBySoap(
  context: Pick<SsoSliceContext, 'db' | 'limits' | 'sealer' | 'outbound'>,
  reference: PartyReference,
): Promise<void> {
  const { organizationId } = reference
  const party = await partyOf(context, reference)
  if (!party || party.state === 'done') return
  const application = await findSsoApplicationById(context, organizationId, party.applicationId)
  if (!application || application.config.sloSoapUrl === '') return
  const { sloSoapUrl } = application.config
  try {
    const request = requestTo(application, sloSoapUrl, party)
    const answer = await context.outbound.request(sloSoapUrl, {
      method: 'POST',
      headers: {
        'content-type': 'text/xml; charset=utf-8',
        soapaction: '"http://www.oasis-open.org/committees/security"',
      },
      body: await inEnvelope(request, signingKeyOf(application)),
      totalMs: SOAP_MS,
      maxBytes: MAX_SOAP_BYTES,
    })
    if (answer.status !== 200) throw new Error(`The service provider responded ${answer.status}`)
    const { success, inResponseTo } = readSoapLogoutResponse(answer.body, context.limits.saml)
    if (!success || inResponseTo !== party.details.requestId)
      throw new Error('The service provider did not confirm the logout')
    await settleLater(context, reference, { state: 'done' })
  } catch (error) {
    // It may be out of our reach, or need the cookie: the browser tries next. Without that way, the queue tries again.
    if (party.unattended || application.config.sloUrl === '') {
      await settleLater(context, reference, { state: 'failed' })
      throw error
    }
    await settleLater(context, reference, { channel: 'front', state: 'waiting' })
  }
}
