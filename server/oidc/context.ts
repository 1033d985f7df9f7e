import type { Db } from '../platform/db/index.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { IsProvisioned } from '../signon/index.ts'

/** Dependencies of this slice's actions; built once by the composition root. */
export interface OidcContext {
  db: Db
  /** Unseals the private keys of applications. */
  sealer: Sealer
  publicUrl: string
  isProvisioned: IsProvisioned
}
