import { Socket, type SocketConstructorOpts } from 'node:net'
import type pg from 'pg'

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

  /** Statements that are sent in the same turn of the event loop leave in one system call. */
  override uncork(): void {
    setImmediate(() => super.uncork())
  }
}

/** Holds what is sent on the connection from now on until the end of this turn of the event loop. */
export function gather(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.cork()
  stream.uncork()
}
