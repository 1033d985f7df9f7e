import { Socket, type SocketConstructorOpts } from 'node:net'

const READ_SIZE = 131_072

/** A PostgreSQL connection that reads into one buffer; `divert` takes the bytes before the driver sees them. */
export class DatabaseSocket extends Socket {
  /** Must not keep the bytes after it returns. */
  divert: ((bytes: Buffer) => void) | null = null

  constructor() {
    super({
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_SIZE),
        callback(this: DatabaseSocket, length: number, buffer: Buffer) {
          const bytes = buffer.subarray(0, length)
          if (this.divert === null) return this.push(Buffer.from(bytes))
          this.divert(bytes)
          return true
        },
      },
    } as SocketConstructorOpts)
  }
}
