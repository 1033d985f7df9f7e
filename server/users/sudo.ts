import { checkSudoGrant, type SudoGiver } from '../graph/index.ts'
import type { UserRow } from './store.ts'

const sudoOf = ({ profile }: UserRow) => {
  const withoutPassword = profile.passwordless_sudo ?? false
  return { sudo: { enabled: (profile.sudo ?? false) || withoutPassword, withoutPassword } }
}

/** Before is null for a new user. */
export const checkUserSudo = (actor: SudoGiver, before: UserRow | null, after: UserRow): void =>
  checkSudoGrant(actor, before && sudoOf(before), sudoOf(after))
