import type { Status } from './messages/response.ts'
import { STATUS } from './names.ts'

interface Kind {
  /** Shown to the user. It does not reveal whether an application exists or who may use it. */
  person: string
  /** Sent to the service provider; absent if the request must not be answered. */
  status?: Status
  /** Sent regardless of spErrorFlow: the service provider asked not to involve the user. */
  always?: true
}

const START_AGAIN = 'Go back to the application and try again.'
/** For a mistake in the settings here or at the service provider. */
const ASK = 'Trying again will not help: ask your administrator, who can see the reason.'
const requester = (second: string): Status => ({ code: STATUS.requester, second })
const responder = (second: string): Status => ({ code: STATUS.responder, second })
const NO_ACCESS = {
  person: 'You do not have access to this application. If you need it, ask your administrator.',
  status: responder(STATUS.requestDenied),
}

/** Every way a sign-in or sign-out can end without success. */
const REFUSALS = {
  unreadable: { person: `The sign-in request could not be read. ${START_AGAIN}` },
  signature_missing: { person: `The sign-in request is not signed. ${ASK}` },
  signature_wrong: { person: `The signature of the sign-in request is not valid. ${ASK}` },
  signature_algorithm: {
    person: `The sign-in request uses an unsupported signature algorithm. ${ASK}`,
  },
  wrong_message: { person: `The application sent an unexpected message. ${START_AGAIN}` },
  issuer_unknown: { person: `The sign-in request comes from an unknown application. ${ASK}` },
  destination_wrong: { person: `The sign-in request is meant for a different address. ${ASK}` },
  version_unsupported: {
    person: `The sign-in request uses an unsupported version of SAML. ${ASK}`,
    status: { code: STATUS.versionMismatch },
  },
  stale: { person: `The sign-in request is too old, or dated in the future. ${START_AGAIN}` },
  replayed: { person: `This sign-in request has already been used. ${START_AGAIN}` },
  gone: { person: `This sign-in has expired. ${START_AGAIN}` },
  acs_unknown: {
    person: `The application asked for a response at an unregistered address. ${ASK}`,
  },
  binding_unsupported: {
    person: `The application asked for an unsupported kind of response. ${ASK}`,
    status: requester(STATUS.unsupportedBinding),
  },
  name_id_policy: {
    person: `The application asked for an unsupported kind of user name. ${ASK}`,
    status: requester(STATUS.invalidNameIdPolicy),
  },
  authn_context: {
    person: 'The application requires a sign-in method that you have not used.',
    status: responder(STATUS.noAuthnContext),
  },
  passive: {
    person: 'You are not signed in, and the application asked not to show a sign-in page.',
    status: responder(STATUS.noPassive),
    always: true,
  },
  subject_differs: {
    person: 'The application asked for a different user than the one signed in.',
    status: responder(STATUS.unknownPrincipal),
  },
  not_configured: { person: 'Sign-in for this application is not set up yet.' },
  value_missing: {
    person: 'Your account lacks information that the application needs. Ask your administrator.',
    status: responder(STATUS.authnFailed),
  },
  no_access: NO_ACCESS,
  /** The same text, so as not to reveal the state of the account. */
  user_state: NO_ACCESS,
  not_provisioned: {
    person:
      'Your account at this application is still being created. Try again in a minute; if it takes longer, ask your administrator.',
    status: responder(STATUS.requestDenied),
  },
  no_session: { person: 'You are not signed in to this application.' },
} as const satisfies Record<string, Kind>

export type Reason = keyof typeof REFUSALS

/** Long enough to list everything that an administrator has registered. */
const MAX_EXPLAINED = 4096

/** A request that gets no assertion. `message` is for the administrator: what is wrong, and how to fix it. */
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
