import { findOidcApplication } from '../applications/index.ts'
import type { KeptOut } from '../portal/index.ts'
import type { OidcContext } from './context.ts'
import { recordRefusal } from './record.ts'
import { OidcRefusal } from './refusal.ts'

/** Whoever may not sign in does not come as far as the application; the attempt was one on it all the same. */
export async function recordKeptOutOfClient(
  context: OidcContext,
  { client, user: { organization_id, id, username }, continueTo, why }: KeptOut,
): Promise<void> {
  const [, clientId] = /^\/oidc\/([^/?#]+)\/authorize\?/.exec(continueTo) ?? []
  const application = clientId && (await findOidcApplication(context, clientId))
  if (!application || application.organizationId !== organization_id) return
  const user = { id, username }
  const refusal = new OidcRefusal('access_denied', 'user_state', `The ${why}`, { user })
  await recordRefusal(context, application, client, refusal)
}
