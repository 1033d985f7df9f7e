import type { SsoApplication } from '../applications/index.ts'
import { AppError } from '../platform/errors.ts'
import { opaque, type Person } from '../signon/index.ts'
import { attributesFor } from './decide/attributes.ts'
import { authnContextFor } from './decide/authn-context.ts'
import { nameIdFor } from './decide/name-id.ts'
import { assertion, type NameId, newMessageId } from './messages/assertion.ts'
import {
  message,
  type Protection,
  type Status,
  SUCCESS,
  writeErrorResponse,
  writeResponse,
} from './messages/response.ts'
import type { SigningKey } from './messages/xml-signature.ts'
import { write } from './messages/xml-writer.ts'
import { redacted } from './redact.ts'
import { Refusal } from './refusal.ts'
import type { SignInRequest } from './sign-in-request.ts'

export const signingKeyOf = ({ certificates, config }: SsoApplication): SigningKey => ({
  privateKey: certificates.current.privateKey,
  certificate: certificates.current.pem,
  method: config.signatureAlgorithm,
})

const protectionOf = (application: SsoApplication): Protection => {
  const { signAssertion, signResponse, spEncryptionCertificate, encryptionAlgorithm } =
    application.config
  return {
    key: signingKeyOf(application),
    signAssertion,
    signResponse,
    encryptFor:
      spEncryptionCertificate === undefined
        ? undefined
        : { certificate: spEncryptionCertificate, method: encryptionAlgorithm },
  }
}

const frameOf = ({ config }: SsoApplication, ask: SignInRequest, now: number) => ({
  id: newMessageId(),
  now,
  issuer: config.idpEntityId,
  destination: ask.acsUrl,
  inResponseTo: ask.requestId,
})

export interface Issued {
  xml: string
  nameId: NameId
  sessionIndex: string
  /** The redacted XML for the debug view; lazy, since not every attempt is kept. */
  shown: () => string
}

function checkSubject(subject: string | undefined, nameId: NameId, { user }: Person): void {
  if (subject === undefined || [nameId.value, user.email, user.username].includes(subject)) return
  throw new Refusal(
    'subject_differs',
    'The request names a user (Subject) other than the one signed in',
  )
}

async function respond(
  application: SsoApplication,
  ask: SignInRequest,
  person: Person,
  now: number,
) {
  const { config } = application
  const { session, user, groups } = person
  const nameId = nameIdFor({ user, session, application }, ask.nameIdPolicy)
  checkSubject(ask.subject, nameId, person)
  // Each application gets its own session index, so that applications cannot correlate users.
  const sessionIndex = opaque('index', session.index, application.id)
  const frame = frameOf(application, ask, now)
  const statement = assertion({
    id: newMessageId(),
    now,
    issuer: frame.issuer,
    audience: config.spEntityId,
    recipient: ask.acsUrl,
    inResponseTo: ask.requestId,
    nameId,
    sessionIndex,
    authenticatedAt: session.authenticatedAt.getTime(),
    authnContext: authnContextFor(config.authClaims, session.methods, ask.requestedContext),
    attributes: attributesFor(user, config, { groups, methods: session.methods }),
  })
  const xml = await writeResponse(frame, statement, protectionOf(application))
  const shown = () => write(message('samlp:Response', frame, SUCCESS, redacted(statement)))
  return { xml, nameId, sessionIndex, shown }
}

/** Issues the response for an admitted user. */
export async function issue(
  application: SsoApplication,
  ask: SignInRequest,
  person: Person,
  now: number,
): Promise<Issued> {
  try {
    return await respond(application, ask, person, now)
  } catch (error) {
    if (error instanceof AppError && error.reason === 'xml_character')
      throw new Refusal('value_missing', error.message, { cause: error })
    throw error
  }
}

export const issueError = (
  application: SsoApplication,
  ask: SignInRequest,
  status: Status,
  now: number,
): Promise<string> =>
  writeErrorResponse(frameOf(application, ask, now), status, protectionOf(application))
