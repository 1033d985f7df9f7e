import type { Db } from '../platform/db.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'

/** What the actions of this slice work with; made once by the composition root. */
export interface ApplicationContext {
  db: Db
  sealer: Sealer
  send: SendJob
  postMail: PostMail
  /** Fetches the metadata of service providers. */
  outbound: Outbound
  publicUrl: string
}

/** What it takes to read an application with its keys. */
export type SsoContext = Pick<ApplicationContext, 'db' | 'sealer'>

/** Ties a sealed key to its certificate; platform/sealed-columns.ts has the same. */
export const sealContext = (certificateId: string): string =>
  `application certificate ${certificateId}`
