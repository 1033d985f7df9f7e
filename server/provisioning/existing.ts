import { inLanes } from '../platform/lanes.ts'
import { within } from '../platform/within.ts'
import { ScimClient, ScimFailure } from '../scim/index.ts'
import { mayAdopt } from './adopt.ts'
import { MIN_NEW, readDirectory } from './directory.ts'
import type { Desired } from './evaluate.ts'
import type { Session } from './session.ts'

type Fate = 'adopted' | 'parked'

/** A plan does not wait longer for the provider. */
const MAX_LOOKUP_MS = 5000

/** What becomes of new accounts whose names the provider has already; those that it was not asked for in time are absent. */
export async function fatesOf(
  { provider, settings: { adopt, limits } }: Session,
  wishes: ReadonlyMap<string, Desired>,
): Promise<ReadonlyMap<string, Fate>> {
  const fates = new Map<string, Fate>()
  const look = async () => {
    const directory = wishes.size < MIN_NEW ? null : await readDirectory(provider, wishes.size)
    await inLanes(limits.concurrency, wishes, async ([userId, wish]) => {
      const [externalId, name] = [userId, wish.resource!.userName]
      try {
        const found = directory
          ? directory.find(externalId, name)
          : await new ScimClient(provider).find('User', { externalId, name })
        if (found) fates.set(userId, mayAdopt(found, wish, adopt) ? 'adopted' : 'parked')
      } catch (error) {
        const ofThisOne =
          error instanceof ScimFailure && ['exists', 'rejected'].includes(error.kind)
        if (!ofThisOne) throw error
        fates.set(userId, 'parked')
      }
    })
  }
  try {
    await within(look(), MAX_LOOKUP_MS, () => new ScimFailure('transient', 'no answer in time'))
  } catch (error) {
    // The status tells what is wrong with the provider.
    if (!(error instanceof ScimFailure)) throw error
  }
  return fates
}
