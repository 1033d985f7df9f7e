import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'
import type { Field } from '../platform/list/conditions.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { ApplicationRow } from './store.ts'

/**
 * An application was created or restored (before is null), changed, or deleted (after is null). Its edges exist in all
 * cases, since listeners may need them: on deletion still, on restore again. A certificate change shows as changed ids in
 * the row. The OpenID Connect settings are in another table: if only those change, `before` and `after` are equal.
 */
interface ApplicationChange {
  applicationId: string
  before: ApplicationRow | null
  after: ApplicationRow | null
  /** The event that records it. */
  eventId: string
}

/** Dependencies of this slice's actions; built once by the composition root. */
export interface ApplicationContext {
  db: Db
  limits: Limits
  sealer: Sealer
  send: SendJob
  postMail: PostMail
  /** Fetches the metadata of service providers. */
  outbound: Outbound
  publicUrl: string
  /** What higher slices know about applications; lists can be filtered by it. */
  listFields: Record<string, Field>
  changed: Hook<Caller, ApplicationChange>
}

/** Needed to save a change. */
export type SaveContext = Pick<ApplicationContext, 'changed'>

/** Needed to read an application with its keys. */
export type SsoContext = Pick<ApplicationContext, 'db' | 'sealer'>

/** Binds a sealed key to its certificate; must match platform/sealed-columns.ts. */
export const sealContext = (certificateId: string): string =>
  `application certificate ${certificateId}`
