// How much a property test tries: the inner ring of the suite (scripts/rings.ts) seed 1 with a fifth of the rounds, the
// outer one all of it. PROPERTY_SEEDS=7,8,9 tries other seeds.

const isFull = process.env.TEST_EFFORT === 'full'

export const seeds = (count: number): number[] =>
  process.env.PROPERTY_SEEDS?.split(',').map(Number) ??
  Array.from({ length: isFull ? count : 1 }, (_, at) => at + 1)

export const rounds = (count: number): number => (isFull ? count : Math.ceil(count / 5))
