import { type Config, loadConfig } from '../server/platform/config.ts'
import { borrowDatabase, type Database } from '../server/platform/database.ts'
import type { Migration } from '../server/platform/db/migrate.ts'
import { createLog } from '../server/platform/log.ts'
import type { Ground } from '../server/runtime.ts'

// Loaded when needed: it draws in the whole service, and a mistyped option should not wait for that.
const loadRuntime = () => import('../server/runtime.ts')

// On stderr and from warnings on: stdout belongs to what the command prints.
const log = () => createLog('warn', process.stderr)

/** The migrated database with its keys, beside a running server or without one. */
export async function withGround<T>(
  use: (ground: Ground, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  const { openCliGround } = await loadRuntime()
  const ground = await openCliGround(config, log())
  try {
    return await use(ground, config)
  } finally {
    await ground.close()
  }
}

/** The database as it is, for commands that must not migrate it or make keys. */
export async function withDatabase<T>(
  config: Config,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await borrowDatabase(config, log())
  try {
    return await use(database)
  } finally {
    await database.stop()
  }
}

export async function migrateDatabase(database: Database): Promise<Migration[]> {
  const { migrateAll } = await loadRuntime()
  return migrateAll(database)
}
