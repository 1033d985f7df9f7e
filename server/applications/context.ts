import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { ApplicationRow } from './store.ts'

/**
 * An application came (before is null), changed, or went (after is null). When it comes back its edges are there again,
 * and when it goes they are still there: listeners may need what it was connected with. A certificate that comes, goes or
 * takes over is a change of the ids in the row. Settings of OpenID Connect have a row of their own: where only those
 * change, `before` and `after` are alike.
 */
interface ApplicationChange {
  applicationId: string
  before: ApplicationRow | null
  after: ApplicationRow | null
  /** The event that tells of it. */
  eventId: string
}

/** What the actions of this slice work with; made once by the composition root. */
export interface ApplicationContext {
  db: Db
  sealer: Sealer
  send: SendJob
  postMail: PostMail
  /** Fetches the metadata of service providers. */
  outbound: Outbound
  publicUrl: string
  changed: Hook<Caller, ApplicationChange>
}

/** What it takes to save a change. */
export type SaveContext = Pick<ApplicationContext, 'changed'>

/** What it takes to read an application with its keys. */
export type SsoContext = Pick<ApplicationContext, 'db' | 'sealer'>

/** Ties a sealed key to its certificate; platform/sealed-columns.ts has the same. */
export const sealContext = (certificateId: string): string =>
  `application certificate ${certificateId}`
