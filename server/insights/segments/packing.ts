import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteReader, ByteWriter } from './bytes.ts'

// Deflate, not Zstandard: on sample events both need the same bytes, and Node still calls the latter experimental.

/** Shorter ones gain nothing. */
const MIN_PACKED = 64

/** The length, 0 for bytes that are not packed; then the bytes. */
export function pack(bytes: Buffer): Buffer {
  const packed = bytes.length < MIN_PACKED ? bytes : deflateRawSync(bytes)
  const smaller = packed.length < bytes.length
  const out = new ByteWriter()
  out.number(smaller ? bytes.length : 0)
  out.bytes(smaller ? packed : bytes)
  return out.done()
}

/** With a chunk of the right size, inflating allocates once. */
export const inflate = (packed: Buffer, length: number, dictionary?: Buffer): Buffer => {
  const chunkSize = Math.max(64, length)
  return inflateRawSync(packed, {
    chunkSize,
    maxOutputLength: chunkSize,
    ...(dictionary && { dictionary }),
  })
}

export function unpack(data: Buffer): Buffer {
  const read = new ByteReader(data)
  const length = read.number()
  const rest = read.bytes(read.left)
  return length === 0 ? rest : inflate(rest, length)
}
