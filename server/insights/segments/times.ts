import { ByteReader, ByteWriter } from './bytes.ts'

/** The times of consecutive events, in milliseconds after the first one. */
export function encodeTimes(times: readonly number[]): Buffer {
  const out = new ByteWriter()
  let last = times[0] ?? 0
  for (const time of times) {
    out.number(time - last)
    last = time
  }
  return out.done()
}

/** Segments are short enough for 32 bits. */
export const decodeTimes = (bytes: Buffer, events: number): Uint32Array =>
  new ByteReader(bytes).sums(events)
