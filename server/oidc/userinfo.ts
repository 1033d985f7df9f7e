import type { OidcApplication } from '../applications/index.ts'
import { sha256 } from '../platform/secrets.ts'
import { claimsFor } from './claims.ts'
import type { OidcContext } from './context.ts'
import { holderOf } from './holder.ts'
import { OidcRefusal } from './refusal.ts'
import { findByToken } from './store.ts'

const refuse = (message: string) => new OidcRefusal('invalid_token', 'invalid_token', message)

/** OpenID Connect Core §5.3. The token is accepted in the header only: URLs and forms end up in logs. */
export async function userinfo(
  context: OidcContext,
  application: OidcApplication,
  authorization: string | undefined,
) {
  const token = /^bearer ([\w-]+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw refuse('the access token is missing')
  const { organizationId, id } = application
  const tenant = context.db.tenant(organizationId)
  const grant = await findByToken(tenant, organizationId, id, 'access', sha256(token))
  if (!grant) throw refuse('the access token is unknown or has expired')
  const person = await holderOf(context, application, grant, 'invalid_token')
  return claimsFor(application, person, grant.scopes)
}
