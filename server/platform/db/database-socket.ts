import { Socket } from 'node:net'
import type pg from 'pg'

/** Statements that are sent in the same turn of the event loop leave in one system call. Without effect over TLS. */
export class DatabaseSocket extends Socket {
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
