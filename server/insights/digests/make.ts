import type { Db } from '../../platform/db/index.ts'
import { forEachTenant } from '../../platform/each-tenant.ts'
import { readWatermark } from '../stream/store.ts'
import { DIGEST_EVENTS, type Digest, digestsOf } from './digest.ts'
import {
  eventsToDigest,
  firstGap,
  insertDigests,
  lockPastEvents,
  organizationsToDigest,
} from './store.ts'

/** A clock that is set back may give events times that have passed; not by this much. `joinPastEvents` relies on it. */
const MARGIN_MS = 10 * 60_000
/** Digests made at once. Imports into the organization wait as long. */
const BATCH = 8

interface DigestOptions {
  /** Events from then on may still change. */
  settled?: number
  size?: number
}

/**
 * Makes the next few digests of an organization and tells where they end; null when there is nothing left to make. A
 * gap before `after` has just been opened by an import: that one is not raced, but left to the next run.
 */
const digestMore = (
  db: Db,
  organizationId: string,
  after: number,
  { settled, size }: Required<DigestOptions>,
): Promise<number | null> =>
  db.tx(organizationId, async (tx) => {
    await lockPastEvents(tx, organizationId)
    const gap = await firstGap(tx, organizationId)
    if (!gap || gap.from < after) return null
    const until = Math.min(gap.until ?? settled, settled)
    const most = BATCH * size
    const events = await eventsToDigest(tx, organizationId, { from: gap.from, until }, most)
    const make = async (some: typeof events, end: number) => {
      await insertDigests(tx, organizationId, digestsOf(some, gap.from, end, size))
      return end
    }
    if (events.length < most) {
      const inside = until === gap.until
      // After the last digest it waits for more.
      if (!inside && events.length < size) return null
      return make(events, inside ? until : events.at(-1)!.timestamp + 1)
    }
    // Of the last millisecond there may be more, so it waits for the next round.
    const last = events.at(-1)!.timestamp
    const whole = events.filter(({ timestamp }) => timestamp < last)
    if (whole.length > 0) return make(whole, last)
    const crowd: Digest = { from: gap.from, until: last + 1, events: most, lists: null }
    await insertDigests(tx, organizationId, [crowd])
    return crowd.until
  })

/** All that is due, for every tenant. Safe to end anywhere: each step stands for itself. */
export async function makeDigests(db: Db, options: DigestOptions = {}): Promise<void> {
  const settled = options.settled ?? (await readWatermark(db)) - MARGIN_MS
  const size = options.size ?? DIGEST_EVENTS
  await forEachTenant(await organizationsToDigest(db, settled, size), async (organizationId) => {
    let reached: number | null = Number.NEGATIVE_INFINITY
    while (reached !== null)
      reached = await digestMore(db, organizationId, reached, { settled, size })
  })
}
