import { mayUse, type SsoApplication } from '../applications/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { UserSession } from '../portal/index.ts'
import { toUser, type User, type UserRow } from '../users/index.ts'
import { groupNamesFor } from './related-store.ts'

export interface SignedIn {
  session: UserSession
  user: UserRow
}

/** A user whom the application may be told about. */
export interface Person {
  user: User
  session: UserSession
  groups: string[]
}

/** SAML and OpenID Connect each answer it in the words of their protocol; `message` is for the administrator. */
export class AdmissionDenied extends Error {
  readonly reason: 'no_access' | 'user_state'

  constructor(reason: AdmissionDenied['reason'], explanation: string) {
    super(explanation)
    this.name = 'AdmissionDenied'
    this.reason = reason
  }
}

/** Whether the user may use the application at this moment. */
export async function admit(
  { db }: { db: Db },
  { organizationId, id }: Pick<SsoApplication, 'organizationId' | 'id'>,
  { session, user }: SignedIn,
  withGroups: boolean,
): Promise<Person> {
  if (session.organizationId !== organizationId)
    throw new AdmissionDenied('no_access', 'The person signed in belongs to another organization')
  // The portal opens no session for anybody else; an assertion is worth a second check.
  if (user.state !== 'ACTIVATED')
    throw new AdmissionDenied('user_state', `The user is ${user.state}, not ACTIVATED`)
  const tenant = db.tenant(organizationId)
  const [bound, groups] = await Promise.all([
    mayUse(tenant, organizationId, user.id, id),
    withGroups ? groupNamesFor(tenant, organizationId, user.id, id) : [],
  ])
  if (!bound)
    throw new AdmissionDenied(
      'no_access',
      'The user is not bound to the application, neither directly nor through a group',
    )
  return { user: toUser(user), session, groups: groups.map(({ name }) => name) }
}
