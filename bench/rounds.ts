import { setTimeout as delay } from 'node:timers/promises'

/** One side of a pair: runs for that long and returns operations per second. */
export type Side = (seconds: number) => Promise<number>

export interface Pair {
  baseline: Side
  ours: Side
}

interface Compared {
  baseline: number
  ours: number
  ratio: number
  rounds: { baseline: number; ours: number }[]
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * The sides take turns, and the order alternates, so that a disturbance of the machine affects both. The ratio is
 * the median of the ratios within a round, whose two halves saw the same machine. Expensive operations need more
 * warm-up rounds until all their code is compiled (`warmUps`).
 */
export async function compare(
  pair: Pair,
  { rounds, seconds }: { rounds: number; seconds: number },
  warmUps = 1,
): Promise<Compared> {
  const done: Compared['rounds'] = []
  // Warm up compilers, caches and connections on both sides.
  await pair.baseline(seconds)
  for (let warm = 0; warm < warmUps; warm++) await pair.ours(seconds)
  for (let round = 0; round < rounds; round++) {
    const result = { baseline: 0, ours: 0 }
    const order = ['baseline', 'ours'] as const
    for (const side of round % 2 === 0 ? order : order.toReversed()) {
      result[side] = await pair[side](seconds)
      // Deferred work of one side (checkpoints, log files) must not count against the other.
      await delay(250)
    }
    done.push(result)
  }
  return {
    baseline: median(done.map(({ baseline }) => baseline)),
    ours: median(done.map(({ ours }) => ours)),
    ratio: median(done.map(({ baseline, ours }) => ours / baseline)),
    rounds: done,
  }
}

/** Works again and again until the time is over. What `before` takes does not count. */
export const repeated =
  (work: () => Promise<unknown>, clients = 1, before?: () => Promise<unknown>): Side =>
  async (seconds) => {
    const start = performance.now()
    let done = 0
    let uncounted = 0
    const client = async () => {
      do {
        const began = performance.now()
        await before?.()
        uncounted += performance.now() - began
        await work()
        done++
      } while (performance.now() - start < seconds * 1000)
    }
    await Promise.all(Array.from({ length: clients }, client))
    return (done / (performance.now() - start - uncounted / clients)) * 1000
  }
