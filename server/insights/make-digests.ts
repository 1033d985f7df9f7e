import type { Db } from '../platform/db.ts'
import { DIGEST_EVENTS, type Digest, digestsOf } from './digest.ts'
import {
  eventsToDigest,
  firstGap,
  insertDigests,
  lockPastEvents,
  organizationsToDigest,
} from './digest-store.ts'
import { readWatermark } from './stream-store.ts'

/** A clock that is set back may give events times that have passed; not by this much. */
const MARGIN_MS = 10 * 60_000
/** Digests made at once. Imports into the organization wait as long. */
const BATCH = 8

export interface DigestOptions {
  /** Events from then on may still change. */
  settled?: number
  size?: number
}

/** Makes the next few digests of an organization; false when there is nothing left to make. */
const digestMore = (
  db: Db,
  organizationId: string,
  { settled, size }: Required<DigestOptions>,
): Promise<boolean> =>
  db.tx(organizationId, async (tx) => {
    await lockPastEvents(tx, organizationId, true)
    const gap = await firstGap(tx, organizationId)
    if (!gap) return false
    const until = Math.min(gap.until ?? settled, settled)
    const most = BATCH * size
    const events = await eventsToDigest(tx, organizationId, { from: gap.from, until }, most)
    const make = (some: typeof events, end: number) =>
      insertDigests(tx, organizationId, digestsOf(some, gap.from, end, size))
    if (events.length < most) {
      const inside = until === gap.until
      // After the last digest it waits for more.
      if (!inside && events.length < size) return false
      await make(events, inside ? until : events.at(-1)!.timestamp + 1)
      return true
    }
    // Of the last millisecond there may be more, so it waits for the next round.
    const last = events.at(-1)!.timestamp
    const whole = events.filter(({ timestamp }) => timestamp < last)
    if (whole.length > 0) await make(whole, last)
    else {
      const crowd: Digest = { from: gap.from, until: last + 1, events: most, lists: null }
      await insertDigests(tx, organizationId, [crowd])
    }
    return true
  })

/** All that is due, for every tenant. Safe to end anywhere: each step stands for itself. */
export async function makeDigests(db: Db, options: DigestOptions = {}): Promise<void> {
  const settled = options.settled ?? (await readWatermark(db)) - MARGIN_MS
  const size = options.size ?? DIGEST_EVENTS
  for (const organizationId of await organizationsToDigest(db, settled, size))
    while (await digestMore(db, organizationId, { settled, size }));
}
