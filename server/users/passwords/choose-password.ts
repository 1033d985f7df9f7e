import type { Client } from '../../platform/caller.ts'
import { invalid } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { sha256 } from '../../platform/secrets.ts'
import { changeUser, getUser } from '../actions.ts'
import type { UserActor, UserContext } from '../context.ts'
import { userSettings } from '../settings.ts'
import type { UserRow } from '../store.ts'
import { acceptPassword, withPassword } from './passwords.ts'
import { findPasswordLink, takePasswordLink } from './store.ts'

const linkInvalid = () =>
  invalid('link_invalid', 'token: the link is invalid or has expired; request a new one')

/** The user as the actor. */
export const userActor = (user: UserRow, client: Client): UserActor => ({
  initiator: { type: 'user', id: user.id, email: user.email, username: user.username },
  authMethod: 'session',
  providerId: null,
  client,
  mfa: false,
  organizationId: user.organization_id,
})

export interface PasswordLink {
  organization: string
  token: string
}

/** The user a link belongs to. */
export async function ownerOfLink(
  context: Pick<UserContext, 'db'>,
  { organization, token }: PasswordLink,
  now = new Date(),
): Promise<UserRow> {
  if (!isId(organization)) throw linkInvalid()
  const tenant = context.db.tenant(organization)
  const link = await findPasswordLink(tenant, organization, sha256(token), now)
  if (!link) throw linkInvalid()
  return getUser(context, organization, link.user_id)
}

/** Sets a password with a mailed link. A refused password leaves the link valid. */
export async function choosePassword(
  context: UserContext,
  client: Client,
  { organization, token, password }: PasswordLink & { password: string },
  now = new Date(),
): Promise<void> {
  const user = await ownerOfLink(context, { organization, token }, now)
  const { db } = context
  const hash = sha256(token)
  const { passwordPolicy } = await userSettings(db, organization)
  const accepted = await acceptPassword(db.tenant(organization), passwordPolicy, user, password)
  await changeUser(context, userActor(user, client), user.id, async (row, tx) => {
    // The user may have been suspended in the meantime.
    if (row.state !== 'ACTIVATED') throw linkInvalid()
    if (!(await takePasswordLink(tx, organization, hash, now))) throw linkInvalid()
    return withPassword(row, accepted, passwordPolicy, now)
  })
}
