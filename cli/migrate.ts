import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, loadConfig } from '../server/platform/config.ts'
import {
  type Migration,
  pendingMigrations,
  readMigrations,
  schemaVersion,
} from '../server/platform/db/migrate.ts'
import { command } from './command.ts'
import { print } from './output.ts'
import { migrateDatabase, withDatabase } from './runtime.ts'

const namesOf = (migrations: Migration[]): string[] => migrations.map(({ name }) => name)

/** A dry run has no side effects, so it does not create an embedded database. */
function pending(config: Config): Promise<Migration[]> {
  const missing = config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres'))
  if (missing) return Promise.resolve(readMigrations())
  return withDatabase(config, ({ owner }) => pendingMigrations(owner))
}

export const verb = command({
  about: 'Runs pending migrations. The service does this at every start.',
  options: { 'dry-run': { type: 'boolean', about: 'Only list pending migrations' } },
  json: true,
  async run({ options, json }) {
    const config = loadConfig()
    const version = schemaVersion()
    const nothing = `Nothing to do: the database has schema version ${version}.`
    if (options['dry-run']) {
      const names = namesOf(await pending(config))
      print(json, { pending: names, version }, () =>
        names.length === 0 ? [nothing] : ['Would run:', ...names.map((name) => `  ${name}`)],
      )
    } else {
      const names = namesOf(await withDatabase(config, migrateDatabase, { create: true }))
      print(json, { applied: names, version }, () =>
        names.length === 0 ? [nothing] : ['Ran:', ...names.map((name) => `  ${name}`)],
      )
    }
  },
})
