import type { OidcApplication } from '../applications/index.ts'
import { sha256 } from '../platform/secrets.ts'
import { authenticateClient } from './client-authentication.ts'
import type { OidcContext } from './context.ts'
import type { Params } from './params.ts'
import { deleteGrant, deleteToken, findAnyToken } from './store.ts'

/**
 * RFC 7009. A refresh token takes its whole grant along, an access token only itself. An unknown token is no error: it is
 * as good as revoked.
 */
export async function revoke(
  { db }: OidcContext,
  application: OidcApplication,
  authorization: string | undefined,
  params: Params,
): Promise<void> {
  authenticateClient(application, authorization, params)
  const { organizationId, id } = application
  const hash = sha256(params.required('token'))
  const tenant = db.tenant(organizationId)
  const token = await findAnyToken(tenant, organizationId, id, hash)
  if (token?.kind === 'refresh') await deleteGrant(tenant, organizationId, token.id)
  if (token?.kind === 'access') await deleteToken(tenant, organizationId, hash)
}
