/** Seeded numbers in [0, 1) (mulberry32): a failure names its seed. */
export function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function seeded(seed: number) {
  const next = mulberry32(seed)
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: (likelihood: number): boolean => next() < likelihood,
    pick: <T>(list: readonly T[]): T => list[below(list.length)]!,
    some: <T>(list: readonly T[]): T[] => list.filter(() => next() < 0.4),
    times: <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make),
  }
}
export type Random = ReturnType<typeof seeded>
