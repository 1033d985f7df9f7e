import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { UserSession } from '../portal/index.ts'
import type { IsProvisioned, LogoutContext } from '../signon/index.ts'
import type { UserActor } from '../users/index.ts'

/** Dependencies of this slice's actions; built once by the composition root. */
export interface OidcContext {
  db: Db
  /** Unseals the private keys of applications. */
  sealer: Sealer
  publicUrl: string
  isProvisioned: IsProvisioned
  /** The portal's hook: a client may end a session. */
  sessionEnded: Hook<UserActor, UserSession>
  send: SendJob
  /** Sends logout tokens. */
  outbound: Outbound
  logout: LogoutContext
}
