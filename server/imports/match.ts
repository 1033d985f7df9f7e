import type { UserRow } from '../users/index.ts'

/** Who a record may be, as the directory has it. */
interface Candidates {
  /** By the link of an earlier import. */
  linked: UserRow | undefined
  byEmail: UserRow | undefined
  byUsername: UserRow | undefined
  /** Not a step of the ladder, but nobody else may have it. */
  byEmployeeIdentifier: UserRow | undefined
  /** The external id that the found user is already linked to, if another. */
  linkOf: (userId: string) => string | undefined
}

export type Match =
  /** `linked`: by an earlier import; else the link is still to be saved. */
  { user: UserRow | null; linked: boolean } | { conflict: string; message: string }

const named = ({ username }: UserRow) => `"${username}"`

/** The ladder: external id, then e-mail, then username. Two answers that differ are a conflict, never a merge. */
export function match(
  externalId: string,
  { linked, byEmail, byUsername, byEmployeeIdentifier, linkOf }: Candidates,
): Match {
  const user = linked ?? byEmail ?? byUsername
  if (byEmployeeIdentifier && byEmployeeIdentifier.id !== user?.id)
    return {
      conflict: 'employee_identifier_of_other',
      message: `employeeIdentifier: belongs to ${named(byEmployeeIdentifier)}, but the record is ${user ? named(user) : 'somebody else'}`,
    }
  if (!user) return { user: null, linked: false }
  if (byEmail && byEmail.id !== user.id)
    return {
      conflict: 'email_of_other',
      message: `email: belongs to ${named(byEmail)}, but the record is ${named(user)}`,
    }
  if (byUsername && byUsername.id !== user.id)
    return {
      conflict: 'username_of_other',
      message: `username: belongs to ${named(byUsername)}, but the record is ${named(user)}`,
    }
  const other = linkOf(user.id)
  if (!linked && other !== undefined && other !== externalId)
    return {
      conflict: 'linked_to_other',
      message: `${named(user)} was imported from another record of this source, "${other}"`,
    }
  return { user, linked: linked !== undefined }
}
