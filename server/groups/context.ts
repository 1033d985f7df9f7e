import type { NodeNames } from '../graph/index.ts'
import type { Db } from '../platform/db.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Resource } from '../platform/list/conditions.ts'
import type { PostMail } from '../platform/mail.ts'
import type { MemberType } from './member-store.ts'

/** What the actions of this slice work with; made once by the composition root. */
export interface GroupContext {
  db: Db
  send: SendJob
  names: NodeNames
  publicUrl: string
  /** Null when there is no mail server: nobody is told of suggestions. */
  postMail: PostMail | null
  /** What rules may ask of members. */
  resources: Record<MemberType, Resource>
}
