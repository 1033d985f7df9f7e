import { mayUse, type SsoApplication } from '../applications/index.ts'
import type { UserSession } from '../portal/index.ts'
import { toUser, type User } from '../users/index.ts'
import type { SignedIn, SsoSliceContext } from './context.ts'
import { Refusal } from './refusal.ts'
import { groupNamesFor } from './related-store.ts'

/** Somebody who may be told about. */
export interface Person {
  user: User
  session: UserSession
  groups: string[]
}

/** Whether the application may be told, at this moment. */
export async function admit(
  { db }: Pick<SsoSliceContext, 'db'>,
  { organizationId, id }: Pick<SsoApplication, 'organizationId' | 'id'>,
  { session, user }: SignedIn,
  tellsGroups: boolean,
): Promise<Person> {
  if (session.organizationId !== organizationId)
    throw new Refusal('no_access', 'The person signed in belongs to another organization')
  // The portal gives no session to anybody else; an assertion is worth a second look.
  if (user.state !== 'ACTIVATED')
    throw new Refusal('user_state', `The user is ${user.state}, not ACTIVATED`)
  const tenant = db.tenant(organizationId)
  const [bound, groups] = await Promise.all([
    mayUse(tenant, organizationId, user.id, id),
    tellsGroups ? groupNamesFor(tenant, organizationId, user.id, id) : [],
  ])
  if (!bound)
    throw new Refusal(
      'no_access',
      'The user is not bound to the application, neither directly nor through a group',
    )
  return { user: toUser(user), session, groups: groups.map(({ name }) => name) }
}
