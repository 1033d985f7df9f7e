import type { Db } from '../platform/db/index.ts'
import type { Sealer } from '../platform/secrets.ts'

/** What the actions of this slice work with; made once by the composition root. */
export interface OidcContext {
  db: Db
  /** The keys of applications are sealed. */
  sealer: Sealer
  publicUrl: string
}
