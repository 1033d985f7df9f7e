import { findOidcApplication } from '../applications/index.ts'
import type { Listener } from '../platform/hooks.ts'
import type { DeniedSignIn } from '../portal/index.ts'
import { recordAttempt } from '../signon/index.ts'
import type { UserActor } from '../users/index.ts'
import type { OidcContext } from './context.ts'
import { attemptOf } from './record.ts'
import { OidcRefusal } from './refusal.ts'

const CLIENT = /^\/oidc\/([^/?#]+)\/authorize\?/

/** The application that a sign-in leads to. */
export const oidcDestination =
  (context: Pick<OidcContext, 'db' | 'sealer'>) => async (continueTo: string) => {
    const clientId = CLIENT.exec(continueTo)?.[1]
    return clientId === undefined ? undefined : findOidcApplication(context, clientId)
  }

/** A sign-in denied at the portal still counts as an attempt on the application. */
export const recordDeniedClientSignIn =
  (context: OidcContext): Listener<UserActor, DeniedSignIn> =>
  async (tx, { client }, { user: { organization_id, id, username }, continueTo, why }) => {
    const application = await oidcDestination(context)(continueTo)
    if (!application || application.organizationId !== organization_id) return
    const user = { id, username }
    const refusal = new OidcRefusal('access_denied', 'user_state', `The ${why}`, { user })
    await recordAttempt(tx, attemptOf(application, client, { refusal, user }))
  }
