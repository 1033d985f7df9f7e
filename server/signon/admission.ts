import { mayUse, type SsoApplication } from '../applications/index.ts'
import type { Db, Queryable } from '../platform/db/index.ts'
import type { UserSession } from '../portal/index.ts'
import { toUser, type User, type UserRow } from '../users/index.ts'
import { groupNamesFor } from './related-store.ts'

export interface SignedIn {
  session: UserSession
  user: UserRow
}

/** A user admitted to the application, with the data it may receive. */
export interface Person {
  user: User
  session: UserSession
  groups: string[]
}

/** SAML and OpenID Connect each map it to an error of their protocol; `message` is for the administrator. */
export class AdmissionDenied extends Error {
  readonly reason: 'no_access' | 'user_state' | 'not_provisioned'

  constructor(reason: AdmissionDenied['reason'], explanation: string) {
    super(explanation)
    this.name = 'AdmissionDenied'
    this.reason = reason
  }
}

/** Whether the user's account at the application exists, if the application asks for that. */
export type IsProvisioned = (
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userId: string,
) => Promise<boolean>

/** Checks that the user may use the application now; throws AdmissionDenied otherwise. */
export async function admit(
  { db, isProvisioned }: { db: Db; isProvisioned: IsProvisioned },
  { organizationId, id }: Pick<SsoApplication, 'organizationId' | 'id'>,
  { session, user }: SignedIn,
  withGroups: boolean,
): Promise<Person> {
  if (session.organizationId !== organizationId)
    throw new AdmissionDenied('no_access', 'The signed-in user belongs to another organization')
  // The portal opens sessions for activated users only; an assertion deserves a second check.
  if (user.state !== 'ACTIVATED')
    throw new AdmissionDenied('user_state', `The user is ${user.state}, not ACTIVATED`)
  const tenant = db.tenant(organizationId)
  const [bound, provisioned, groups] = await Promise.all([
    mayUse(tenant, organizationId, user.id, id),
    isProvisioned(tenant, organizationId, id, user.id),
    withGroups ? groupNamesFor(tenant, organizationId, user.id, id) : [],
  ])
  if (!bound)
    throw new AdmissionDenied(
      'no_access',
      'The user is not bound to the application, either directly or through a group',
    )
  if (!provisioned)
    throw new AdmissionDenied(
      'not_provisioned',
      'The account of the user at the application does not exist yet; see its provisioning',
    )
  return { user: toUser(user), session, groups: groups.map(({ name }) => name) }
}
