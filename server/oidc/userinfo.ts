import type { OidcApplication } from '../applications/index.ts'
import { sha256 } from '../platform/secrets.ts'
import { claimsFor } from './claims.ts'
import type { OidcContext } from './context.ts'
import { holderOf } from './holder.ts'
import { OidcRefusal } from './refusal.ts'
import { findByToken } from './store.ts'

const refuse = (message: string) => new OidcRefusal('invalid_token', 'invalid_token', message)

/** RFC 6750 §2.1 and §2.2: in the header, or in the form of a POST; never in the URL, which ends up in logs. */
function tokenIn(authorization: string | undefined, form: URLSearchParams): string | undefined {
  if (authorization !== undefined) return /^bearer ([\w-]+)$/i.exec(authorization)?.[1]
  return form.get('access_token') ?? undefined
}

/** OpenID Connect Core §5.3. */
export async function userinfo(
  context: OidcContext,
  application: OidcApplication,
  authorization: string | undefined,
  form: URLSearchParams,
) {
  const token = tokenIn(authorization, form)
  if (token === undefined) throw refuse('the access token is missing')
  const { organizationId, id } = application
  const tenant = context.db.tenant(organizationId)
  const grant = await findByToken(tenant, organizationId, id, 'access', sha256(token))
  if (!grant) throw refuse('the access token is unknown or has expired')
  const person = await holderOf(context, application, grant, 'invalid_token')
  return claimsFor(application, person, grant.scopes)
}
