import { mayUse, type SsoApplication } from '../applications/index.ts'
import type { UserSession } from '../portal/index.ts'
import { findUser, toUser, type User, type UserRow } from '../users/index.ts'
import type { SsoSliceContext } from './context.ts'
import { Refusal } from './refusal.ts'
import { groupNamesFor } from './related-store.ts'

/** Somebody who may be told about, as they are at this moment. */
export interface Person {
  user: User
  session: UserSession
  groups: string[]
}

/** Who it is, as far as the tenant of the application may know. */
export interface Seen {
  row: UserRow | undefined
  admitted: () => Person
}

/** The portal has looked at the state of the account for the session; it may have changed since. */
export async function lookAt(
  { db }: SsoSliceContext,
  { organizationId, id, config }: SsoApplication,
  session: UserSession,
): Promise<Seen> {
  if (session.organizationId !== organizationId) {
    const other = new Refusal('no_access', 'The person signed in belongs to another organization')
    return {
      row: undefined,
      admitted: () => {
        throw other
      },
    }
  }
  const tenant = db.tenant(organizationId)
  const { userId } = session
  // In one go over one connection.
  const [row, bound, groups] = await Promise.all([
    findUser(tenant, organizationId, userId),
    mayUse(tenant, organizationId, userId, id),
    config.groupsAttribute === undefined ? [] : groupNamesFor(tenant, organizationId, userId, id),
  ])
  const admitted = (): Person => {
    if (row?.state !== 'ACTIVATED')
      throw new Refusal('user_state', `The user is ${row?.state ?? 'deleted'}, not ACTIVATED`)
    if (!bound)
      throw new Refusal(
        'no_access',
        'The user is not bound to the application, neither directly nor through a group',
      )
    return { user: toUser(row), session, groups: groups.map(({ name }) => name) }
  }
  return { row, admitted }
}
