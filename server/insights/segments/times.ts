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
export function decodeTimes(bytes: Buffer, events: number): Uint32Array {
  const read = new ByteReader(bytes)
  const times = new Uint32Array(events)
  let time = 0
  for (let at = 0; at < events; at++) {
    time += read.number()
    times[at] = time
  }
  return times
}
