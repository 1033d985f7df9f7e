/** Numbers in [0, 1) that a seed repeats (mulberry32): a failure names its seed. */
export function seeded(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
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
