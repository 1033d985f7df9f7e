import type { EdgeContext } from '../graph/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { UserContext } from '../users/index.ts'
import type { Wait } from './sources/source.ts'

/** Dependencies of this slice; built once by the composition root. */
export interface ImportContext {
  db: Db
  limits: Limits
  sealer: Sealer
  outbound: Outbound
  send: SendJob
  postMail: PostMail
  publicUrl: string
  users: UserContext
  edges: EdgeContext
  /** Between attempts to read a source; for tests. */
  wait?: Wait
}

/** Binds the sealed secret to its source; must match platform/sealed-columns.ts. */
export const secretContext = (applicationId: string): string => `import ${applicationId}`
