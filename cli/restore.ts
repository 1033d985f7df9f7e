import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { loadConfig } from '../server/platform/config.ts'
import type { Database } from '../server/platform/database.ts'
import type { Connection } from '../server/platform/db/index.ts'
import { schemaVersion } from '../server/platform/db/migrate.ts'
import { messageOf, OperatorError } from '../server/platform/errors.ts'
import { checkSource } from '../server/platform/files.ts'
import { existingMasterKey } from '../server/platform/secrets.ts'
import type { Header } from './archive/format.ts'
import { loadArchive } from './archive/load.ts'
import { readFrames, verifyArchive } from './archive/read.ts'
import { withOwnerClient } from './archive/session.ts'
import { command } from './command.ts'
import { print, progressLine } from './output.ts'
import { migrateDatabase, withDatabase } from './runtime.ts'

function checkSchema({ schema, program }: Header): void {
  const mine = schemaVersion()
  if (schema > mine)
    throw new OperatorError(
      `The archive has schema version ${schema}, this program only has ${mine}: restore it with Gatehouse ${program} or newer`,
    )
}

/** The tables as the archive knows them; migrations that came later run on its rows. */
async function prepareTables(database: Database, { schema }: Header): Promise<void> {
  await migrateDatabase(database, schema)
  const found = await withOwnerClient(database.owner, async (client) => {
    const { rows } = await client.query('select max(version) as version from schema_migrations')
    return rows[0].version
  })
  if (found !== schema)
    throw new OperatorError(
      `The archive has schema version ${schema}, the database has ${found}: an older archive needs a new database or an empty data directory`,
    )
}

/** A running server would keep encrypting with data keys that the restore replaces. */
async function checkNotRunning(owner: Connection): Promise<void> {
  await withOwnerClient(owner, async (client) => {
    // A process that has just exited may still be listed.
    for (let attempt = 0; attempt < 30; attempt++) {
      const { rowCount } = await client.query(
        `select from pg_stat_activity
          where datname = current_database() and application_name = 'gatehouse' and pid <> pg_backend_pid()`,
      )
      if (rowCount === 0) return
      await delay(100)
    }
    throw new OperatorError('Gatehouse is running on this database; stop it first')
  })
}

async function checkEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ organizations: number; administrators: number }>(
    `select (select count(*) from organizations) as organizations,
            (select count(*) from administrators) as administrators`,
  )
  const { organizations, administrators } = rows[0]!
  if (organizations > 0 || administrators > 0)
    throw new OperatorError(
      `The database is not empty (${organizations} organizations, ${administrators} administrators); use --force to replace everything in it`,
    )
}

/** Atomic: until the commit other connections see the old data. */
async function restore(
  owner: Connection,
  file: string,
  force: boolean,
): Promise<Record<string, number>> {
  const progress = progressLine()
  return withOwnerClient(owner, async (client) => {
    await client.query('begin')
    try {
      if (!force) await checkEmpty(client)
      const tables = await loadArchive(client, readFrames(file), (table, bytes) =>
        progress.show(`${table}: ${(bytes / 1e6).toFixed(1)} MB`),
      )
      await client.query('commit')
      return tables
    } catch (error) {
      await client.query('rollback').catch(() => {})
      if (error instanceof OperatorError) throw error
      throw new OperatorError(`Nothing was restored: ${messageOf(error)}`, { cause: error })
    } finally {
      progress.done()
    }
  })
}

export const verb = command({
  about: 'Restores a backup into an empty database, in one transaction.',
  operands: ['FILE'],
  options: {
    force: { type: 'boolean', about: 'Replace everything in the database' },
  },
  notes: ['Needs the master key that was in use when the backup was made. Stop the service first.'],
  json: true,
  async run({ operands, options, json }) {
    const [file] = operands as [string]
    checkSource(file)
    const config = loadConfig()
    const master = existingMasterKey(config.masterKey, config.dataDir)
    const header = await verifyArchive(file, master)
    checkSchema(header)
    const tables = await withDatabase(
      config,
      async (database) => {
        await checkNotRunning(database.owner)
        await prepareTables(database, header)
        const loaded = await restore(database.owner, file, options.force === true)
        await migrateDatabase(database)
        return loaded
      },
      { create: true },
    )
    const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
    print(json, { file, created: header.created, tables, rows }, () => [
      `Restored ${rows} rows of ${Object.keys(tables).length} tables as they were on ${header.created}.`,
    ])
  },
})
