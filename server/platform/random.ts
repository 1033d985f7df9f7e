import { randomFillSync } from 'node:crypto'

/** Asking for a few bytes costs as much as asking for many. */
const AT_ONCE = 4096
let pool = Buffer.alloc(0)
let used = 0

/** Few bytes at random, each handed out once. */
export function randomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    pool = randomFillSync(Buffer.alloc(Math.max(AT_ONCE, count)))
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
