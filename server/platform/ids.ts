import { randomUUID } from 'node:crypto'

const ID = /^[0-9a-f]{24}$/

/**
 * 24 lower-case hex characters; the first eight are the creation time in seconds, as in an ObjectId. The rest is random:
 * parts of a UUID that are, because Node generates UUIDs ahead, and so faster than single bytes.
 */
export function newId(now = Date.now()): string {
  const seconds = Math.floor(now / 1000)
  const random = randomUUID()
  return seconds.toString(16).padStart(8, '0') + random.slice(24) + random.slice(0, 4)
}

export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

let lastTime = 0
let counter = 0

/** RFC 9562 §6.2: keeps ids of one process and millisecond in ascending order. */
function nextPlace(): number {
  const now = Date.now()
  if (now > lastTime) {
    lastTime = now
    counter = 0
  } else if (++counter > 0xfff) {
    lastTime++
    counter = 0
  }
  return lastTime
}

/**
 * RFC 9562 §5.7: the first 48 bits are the milliseconds, so new rows land at the end of an index. Without a time the
 * ids of a process ascend. The rest is that of a random UUID.
 */
export function uuidv7(time?: number): string {
  const random = randomUUID()
  const place = (time ?? nextPlace()).toString(16).padStart(12, '0')
  const order = time === undefined ? counter.toString(16).padStart(3, '0') : random.slice(15, 18)
  return `${place.slice(0, 8)}-${place.slice(8)}-7${order}-${random.slice(19)}`
}
