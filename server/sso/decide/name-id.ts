import type { SsoApplication } from '../../applications/index.ts'
import type { UserSession } from '../../portal/index.ts'
import { opaque, quoted } from '../../signon/index.ts'
import type { User } from '../../users/index.ts'
import type { AuthnRequest } from '../inbound/authn-request.ts'
import type { NameId } from '../messages/assertion.ts'
import { NAME_ID_FORMAT } from '../names.ts'
import { Refusal } from '../refusal.ts'
import { propertyOf } from './user-property.ts'

const { unspecified, unspecified10, unspecified20, email, persistent, transient } = NAME_ID_FORMAT
const ANY: readonly string[] = [unspecified, unspecified10, unspecified20]
/** Not in the standard, but some service providers use it. */
const EMAIL_20 = 'urn:oasis:names:tc:SAML:2.0:nameid-format:emailAddress'

interface Person {
  user: User
  session: Pick<UserSession, 'index'>
  application: SsoApplication
}

const OPAQUE: readonly string[] = [persistent, transient]

/** What the application is configured for: an opaque name, or a property of the user. */
function configured(person: Person): NameId {
  const { user, application } = person
  const { config } = application
  // The id is opaque and stable itself; providers that also get it as the external id of SCIM compare the two.
  const isId = config.nameIdFormat === persistent && config.subjectField === 'id'
  if (OPAQUE.includes(config.nameIdFormat) && !config.keepsNameId && !isId)
    return asRequested(config.nameIdFormat, person)!
  const [value] = propertyOf(user, config.subjectField)
  if (value === undefined)
    throw new Refusal(
      'value_missing',
      `The user has no ${config.subjectField}, which the application uses as NameID (subjectField)`,
    )
  return { value, format: config.nameIdFormat }
}

/** Formats available on request, regardless of the configured one. */
function asRequested(format: string, { user, session, application }: Person): NameId | undefined {
  const { organizationId, id } = application
  switch (format) {
    case email:
    case EMAIL_20:
      return { value: user.email ?? '', format }
    // SAML Core §8.3.7: stable, and specific to this service provider.
    case persistent:
      return { value: opaque('persistent', organizationId, id, user.id), format }
    // §8.3.8: specific to this session.
    case transient:
      return { value: opaque('transient', session.index, id), format }
    default:
      return undefined
  }
}

/** SAML Core §3.4.1.1: the NameID by which the service provider identifies the user. */
export function nameIdFor(person: Person, policy: AuthnRequest['nameIdPolicy']): NameId {
  const { config } = person.application
  const qualifier = policy?.spNameQualifier
  if (qualifier !== undefined && qualifier !== config.spEntityId)
    throw new Refusal(
      'name_id_policy',
      `The request asks for a NameID qualified by "${quoted(qualifier)}" (SPNameQualifier), which is another service provider`,
    )
  const format = policy?.format
  if (format === undefined || ANY.includes(format) || format === config.nameIdFormat)
    return configured(person)
  const given = asRequested(format, person)
  if (!given)
    throw new Refusal(
      'name_id_policy',
      `The request asks for the NameID format ${quoted(format)}, which is not supported; the application is configured for ${config.nameIdFormat}`,
    )
  return given
}
