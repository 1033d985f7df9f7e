import { Socket, type SocketConstructorOpts } from 'node:net'

const READ_SIZE = 131_072

/** A connection to PostgreSQL that reads into one buffer; what it reads can be taken before the driver sees it. */
export class DatabaseSocket extends Socket {
  /** Must be done with the bytes when it returns. */
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
