import { type Remote, ScimClient, ScimFailure, type ScimProvider } from '../scim/index.ts'
import type { Directory } from './push-user.ts'

/** Fewer new accounts than this are looked up one by one. */
export const MIN_NEW = 50
/** A list is read instead of look-ups as long as it has at most this many accounts for each new one. */
const MAX_PER_NEW = 20

/** RFC 7643 §4.1.1: user names are not case-sensitive. */
export const fold = (text: string): string => text.normalize('NFC').toLowerCase()

/**
 * Reads the accounts of the provider once, when many are to be created: two look-ups for each would take longer than the
 * creations. Null if the provider has so many that look-ups are cheaper. An account that appears later is met by its
 * conflict (409).
 */
export async function readDirectory(
  provider: ScimProvider,
  newAccounts: number,
): Promise<Directory | null> {
  const byExternalId = new Map<string, Remote>()
  const byName = new Map<string, Remote[]>()
  let read = 0
  for await (const remote of new ScimClient(provider).list('User')) {
    if (++read > newAccounts * MAX_PER_NEW) return null
    if (remote.externalId) byExternalId.set(remote.externalId, remote)
    const name = fold(remote.userName ?? '')
    byName.set(name, [...(byName.get(name) ?? []), remote])
  }
  return {
    find(externalId, userName) {
      const own = byExternalId.get(externalId)
      if (own) return own
      const [found, ...others] = byName.get(fold(userName)) ?? []
      if (others.length > 0)
        throw new ScimFailure(
          'rejected',
          `The provider has several users with the userName ${userName}`,
        )
      if (found?.externalId && found.externalId !== externalId)
        throw new ScimFailure(
          'exists',
          `The provider's user ${userName} belongs to somebody else: its externalId is ${found.externalId}`,
        )
      return found
    },
  }
}
