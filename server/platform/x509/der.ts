// The subset of ASN.1 DER (X.690) needed to write a certificate.

function lengthOf(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size])
  const bytes = Buffer.from(
    size.toString(16).padStart(size > 0xffff ? 6 : size > 0xff ? 4 : 2, '0'),
    'hex',
  )
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

const element = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

export const sequence = (...parts: Buffer[]): Buffer => element(0x30, ...parts)
export const set = (...parts: Buffer[]): Buffer => element(0x31, ...parts)
export const octetString = (content: Buffer): Buffer => element(0x04, content)
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text))
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]))
export const nothing = (): Buffer => element(0x05)
/** Explicit context-specific tag. */
export const tagged = (number: number, ...parts: Buffer[]): Buffer =>
  element(0xa0 | number, ...parts)
export const bitString = (content: Buffer, unusedBits = 0): Buffer =>
  element(0x03, Buffer.from([unusedBits]), content)

/** Non-negative: a leading zero where the first bit would be read as the sign; no other leading zeros. */
export function integer(bytes: Buffer): Buffer {
  let from = 0
  while (from < bytes.length - 1 && bytes[from] === 0) from++
  const shortest = bytes.subarray(from)
  return element(0x02, shortest[0]! >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), shortest)
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const base128 = (value: number): number[] => {
    const digits = [value & 0x7f]
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  }
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** RFC 5280 §4.1.2.5: UTCTime up to 2049, GeneralizedTime from then on; to the second. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14)
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : element(0x18, Buffer.from(`${digits}Z`))
}
