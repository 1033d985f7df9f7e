import type { Db } from '../platform/db/index.ts'
import type { Limits } from '../platform/limits.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'

/** Dependencies of this slice; built once by the composition root. */
export interface ProvisioningContext {
  db: Db
  limits: Limits
  sealer: Sealer
  outbound: Outbound
  postMail: PostMail
  publicUrl: string
  /** Called with each confirmed removal, for the metrics. */
  removed: (applicationId: string, ms: number) => void
  /** For tests: a custom clock. */
  now?: () => number
}

/** Binds the sealed secret to its connection; must match platform/sealed-columns.ts. */
export const secretContext = (applicationId: string): string => `provisioning ${applicationId}`
