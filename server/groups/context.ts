import type { EdgeContext } from '../graph/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import type { Hook } from '../platform/hooks.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Resource } from '../platform/list/conditions.ts'
import type { PostMail } from '../platform/mail.ts'
import type { MemberType } from './member-store.ts'
import type { GroupRow, GroupType } from './store.ts'

/**
 * A group came (before is null), changed in its name, attributes or rule, or went (after is null). When it comes back its
 * edges are there again, and when it goes they are still there: listeners may need what it was connected with. Who is in
 * it is told by `edgeChanged`.
 */
interface GroupChange {
  type: GroupType
  groupId: string
  before: GroupRow | null
  after: GroupRow | null
  /** The event that tells of it. */
  eventId: string
}

/** What the actions of this slice work with; made once by the composition root. */
export interface GroupContext extends EdgeContext {
  db: Db
  send: SendJob
  changed: Hook<Caller, GroupChange>
  publicUrl: string
  /** Null when there is no mail server: nobody is told of suggestions. */
  postMail: PostMail | null
  /** What rules may ask of members. */
  resources: Record<MemberType, Resource>
}
