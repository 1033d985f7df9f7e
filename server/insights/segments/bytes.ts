// Writing and reading of numbers in the stored formats. Little-endian, as every supported processor.

/** Bytes written one after the other. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + more))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#length++] = value
  }

  /** Seven bits a byte, the lowest first; the top bit says that more follow. */
  number(value: number): void {
    this.#room(8)
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#length++] = rest
  }

  uint32(value: number): void {
    this.#room(4)
    this.#length = this.#bytes.writeUInt32LE(value, this.#length)
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  array({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.bytes(new Uint8Array(buffer, byteOffset, byteLength))
  }

  done(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Throws when the bytes end too early: what was damaged must not be read as something else. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError('The data ends too early')
    return value
  }

  number(): number {
    let value = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte()
      value += (byte & 127) * unit
      if (byte < 128) return value
    }
  }

  /** The sums of so many numbers, each with those before it. In one loop: segments have thousands. */
  sums(length: number): Uint32Array {
    const bytes = this.#bytes
    const sums = new Uint32Array(length)
    let at = this.#at
    let sum = 0
    for (let n = 0; n < length; n++) {
      for (let unit = 1; ; unit *= 128) {
        const byte = bytes[at++]!
        sum += (byte & 127) * unit
        if (!(byte >= 128)) break
      }
      sums[n] = sum
    }
    if (at > bytes.length) throw new RangeError('The data ends too early')
    this.#at = at
    return sums
  }

  /** Without an array of its own, which would take longer than everything else in a small frame. */
  uint32(): number {
    return this.bytes(4).readUInt32LE()
  }

  bytes(length: number): Buffer {
    if (length > this.left) throw new RangeError('The data ends too early')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** Fills an array of numbers. Copied, so that its numbers are aligned. */
  into<T extends ArrayBufferView>(array: T): T {
    const { buffer, byteOffset, byteLength } = array
    new Uint8Array(buffer, byteOffset, byteLength).set(this.bytes(byteLength))
    return array
  }
}
