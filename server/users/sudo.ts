import {
  checkMayOpen,
  checkSudoGrant,
  groupsOf,
  mayGiveSudo,
  type SudoGiver,
} from '../graph/index.ts'
import type { Tx } from '../platform/db/index.ts'
import type { UserActor } from './context.ts'
import { type SaveOptions, sameMailboxes } from './save.ts'
import type { UserRow } from './store.ts'

const sudoOf = ({ profile }: UserRow) => {
  const withoutPassword = profile.passwordless_sudo ?? false
  return { sudo: { enabled: (profile.sudo ?? false) || withoutPassword, withoutPassword } }
}

/** Before is null for a new user. */
export const checkUserSudo = (actor: SudoGiver, before: UserRow | null, after: UserRow): void =>
  checkSudoGrant(actor, before && sudoOf(before), sudoOf(after))

const opensAccount = (before: UserRow, after: UserRow): boolean =>
  before.password_hash !== after.password_hash ||
  after.ssh_keys.some(
    ({ public_key }) => !before.ssh_keys.some((known) => known.public_key === public_key),
  ) ||
  before.profile.public_key !== after.profile.public_key ||
  !sameMailboxes(before, after)

/** Who sets a password, an SSH key or where links are mailed can sign in as the user, with the sudo that the user has. */
export async function checkMaySignInAs(
  tx: Tx,
  actor: UserActor,
  before: UserRow,
  after: UserRow,
  { mail }: SaveOptions = {},
): Promise<void> {
  if (actor.initiator.type === 'user' || mayGiveSudo(actor)) return
  // The mail that activates has such a link, too.
  if (!opensAccount(before, after) && typeof mail !== 'string') return
  const { id, organization_id } = before
  checkSudoGrant(actor, null, sudoOf(before))
  await checkMayOpen(tx, actor, { type: 'user', id })
  for (const group of await groupsOf(tx, organization_id, { type: 'user', id }))
    await checkMayOpen(tx, actor, { type: 'user_group', id: group })
}
