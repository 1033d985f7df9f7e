import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Connection } from '../server/platform/db/index.ts'
import { asOwner, type ClusterConnections, onDatabase, TEMPLATE } from './cluster.ts'

// Apart from harness.ts, which loads the whole service: tests of programs need only this.

function cluster(): ClusterConnections {
  const text = process.env.TEST_CLUSTER
  if (!text)
    throw new Error('Run tests with `npm test`, or `npm test -- part-of-the-path` for some of them')
  return JSON.parse(text)
}

/** Registers what ends a part: with the test file (`after`), or with the process (`keepForProcess`). */
export type AtEnd = (end: () => Promise<void>) => void

/** A separate database, copied from the migrated template; dropped when the test file is done, unless told otherwise. */
export async function newDatabase(
  options: { empty?: true; atEnd?: AtEnd } = {},
): Promise<{ owner: Connection; service: Connection; name: string }> {
  const { owner, service } = cluster()
  const name = `t_${randomBytes(8).toString('hex')}`
  const template = options.empty ? 'template1' : TEMPLATE
  await asOwner(owner, (client) =>
    // A copy of the files takes a fifth of the processor time of a copy through the log.
    client.query(`create database ${name} template ${template} strategy file_copy`),
  )
  const { atEnd = after } = options
  atEnd(async () => {
    await asOwner(owner, (client) => client.query(`drop database if exists ${name} with (force)`))
  })
  return { owner: onDatabase(owner, name), service: onDatabase(service, name), name }
}

/** The URL of a database, for processes that read DATABASE_URL. */
export function urlOf(connection: Connection): string {
  if (connection.connectionString) return connection.connectionString
  const { user, password, host, database } = connection
  return `postgresql://${user}:${encodeURIComponent(password ?? '')}@localhost/${database}?host=${encodeURIComponent(host ?? '')}`
}

export function tempDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  // World-executable, or under root a database in it would have to live elsewhere.
  chmodSync(path, 0o711)
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}
