import type { Writable } from 'node:stream'
import type pg from 'pg'

/**
 * Holds what is sent on the connection until the end of this turn of the event loop: statements that are sent together
 * leave in one system call. `connection.stream` is the driver's; it is a TLS socket where the server asks for TLS.
 */
export function gather(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  setImmediate(() => stream.uncork())
}
