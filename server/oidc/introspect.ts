import type { OidcApplication } from '../applications/index.ts'
import { sha256 } from '../platform/secrets.ts'
import { addressesOf } from './addresses.ts'
import { subjectOf } from './claims.ts'
import { authenticateClient } from './client-authentication.ts'
import type { OidcContext } from './context.ts'
import { holderOf } from './holder.ts'
import type { Params } from './params.ts'
import { OidcRefusal } from './refusal.ts'
import { findAnyToken } from './store.ts'

/** The holder in their current state; undefined if they may no longer use the application. */
async function currentHolder(...args: Parameters<typeof holderOf>) {
  try {
    return await holderOf(...args)
  } catch (error) {
    if (error instanceof OidcRefusal) return undefined
    throw error
  }
}

/** RFC 7662, for the client's own tokens. Confidential clients only: a public one proves nothing about who asks. */
export async function introspect(
  context: OidcContext,
  application: OidcApplication,
  authorization: string | undefined,
  params: Params,
) {
  authenticateClient(application, authorization, params)
  if (application.secretHash === null)
    throw new OidcRefusal('invalid_client', 'client_authentication', 'the client has no secret')
  const { organizationId, id, clientId } = application
  const hash = sha256(params.required('token'))
  const token = await findAnyToken(context.db.tenant(organizationId), organizationId, id, hash)
  const person =
    token && !token.used && (await currentHolder(context, application, token, 'invalid_token'))
  if (!person) return { active: false }
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: clientId,
    username: person.user.username,
    ...(token.kind === 'access' && { token_type: 'Bearer' }),
    exp: Math.floor(Date.parse(token.expires_at) / 1000),
    sub: subjectOf(application, person.user.id),
    aud: clientId,
    iss: addressesOf(context, application).issuer,
  }
}
