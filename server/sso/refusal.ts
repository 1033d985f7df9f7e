import type { Status } from './messages/response.ts'
import { STATUS } from './names.ts'

interface Kind {
  /** What the person reads. It tells nothing about whether an application exists or who may use it. */
  person: string
  /** What the service provider is told; absent where the request is not one that we would answer to. */
  status?: Status
  /** The service provider hears of it whatever spErrorFlow says: it asked not to involve the person. */
  always?: true
}

const START_AGAIN = 'Go back to the application and start again.'
const requester = (second: string): Status => ({ code: STATUS.requester, second })
const responder = (second: string): Status => ({ code: STATUS.responder, second })
const NO_ACCESS = {
  person: 'This application is not available to you. Ask your administrator if you need it.',
  status: responder(STATUS.requestDenied),
}

/** Every way a sign-in or sign-out can end without success. */
const REFUSALS = {
  unreadable: { person: `The request cannot be read. ${START_AGAIN}` },
  signature_missing: { person: `The request is not signed. ${START_AGAIN}` },
  signature_wrong: { person: `The signature of the request is wrong. ${START_AGAIN}` },
  signature_algorithm: { person: `The request is signed in a way that is not accepted.` },
  wrong_message: { person: `This is not a request that can be answered here. ${START_AGAIN}` },
  issuer_unknown: { person: 'The request comes from a service that is not known here.' },
  destination_wrong: { person: 'The request was meant for another address.' },
  version_unsupported: {
    person: 'The request is in a version of SAML that is not spoken here.',
    status: { code: STATUS.versionMismatch },
  },
  stale: { person: `The request is too old or from the future. ${START_AGAIN}` },
  replayed: { person: `This request was answered already. ${START_AGAIN}` },
  gone: { person: `The sign-in took too long. ${START_AGAIN}` },
  acs_unknown: { person: 'The request asks for an answer at an address that is not registered.' },
  binding_unsupported: {
    person: 'The application asks for an answer in a way that is not supported.',
    status: requester(STATUS.unsupportedBinding),
  },
  name_id_policy: {
    person: 'The application asks for a kind of name that cannot be given.',
    status: requester(STATUS.invalidNameIdPolicy),
  },
  authn_context: {
    person: 'The application asks for a way of signing in that you have not used.',
    status: responder(STATUS.noAuthnContext),
  },
  passive: {
    person: 'You are not signed in, and the application asked not to be interrupted.',
    status: responder(STATUS.noPassive),
    always: true,
  },
  subject_differs: {
    person: 'The application asks for somebody else than who is signed in.',
    status: responder(STATUS.unknownPrincipal),
  },
  not_configured: { person: 'Signing in to this application is not set up yet.' },
  value_missing: {
    person: 'Your account lacks something that the application needs. Ask your administrator.',
    status: responder(STATUS.authnFailed),
  },
  no_access: NO_ACCESS,
  /** The same answer for people who may not sign in at all. */
  user_state: NO_ACCESS,
  no_session: { person: 'You are not signed in with this application.' },
} as const satisfies Record<string, Kind>

export type Reason = keyof typeof REFUSALS

/** With everything that an administrator has registered. */
const MAX_EXPLAINED = 4096

/** A request that gets no assertion. `message` is for the administrator: what was wrong, and what would be right. */
export class Refusal extends Error {
  readonly reason: Reason

  constructor(reason: Reason, explanation: string, options?: ErrorOptions) {
    super(explanation.slice(0, MAX_EXPLAINED).toWellFormed().replaceAll('\0', ''), options)
    this.name = 'Refusal'
    this.reason = reason
  }

  get kind(): Kind {
    return REFUSALS[this.reason]
  }
}
