import { type Config, loadConfig } from '../server/platform/config.ts'
import { borrowDatabase, type Database, requireDatabase } from '../server/platform/database.ts'
import type { Migration } from '../server/platform/db/migrate.ts'
import { createLog } from '../server/platform/log.ts'
import type { Runtime } from '../server/runtime.ts'

// Loaded lazily: it imports the whole service, and a mistyped option should fail fast.
const loadRuntime = () => import('../server/runtime.ts')

// Warnings and errors only, on stderr: stdout is for the output of the command.
const log = () => createLog('warn', process.stderr)

interface Need {
  /** Sets up an embedded database if there is none; otherwise that is an error. */
  create?: true
}

/** The migrated database with its keys, whether or not a server is running. */
export async function withRuntime<T>(
  use: (runtime: Runtime, config: Config) => Promise<T>,
  { create }: Need = {},
): Promise<T> {
  const config = loadConfig()
  if (!create) requireDatabase(config)
  const { openCliRuntime } = await loadRuntime()
  const runtime = await openCliRuntime(config, log())
  try {
    return await use(runtime, config)
  } finally {
    await runtime.close()
  }
}

/** The database as is, for commands that must not migrate it or create keys. */
export async function withDatabase<T>(
  config: Config,
  use: (database: Database) => Promise<T>,
  { create }: Need = {},
): Promise<T> {
  if (!create) requireDatabase(config)
  const database = await borrowDatabase(config, log())
  try {
    return await use(database)
  } finally {
    await database.stop()
  }
}

export async function migrateDatabase(database: Database, last?: number): Promise<Migration[]> {
  const { migrateAll } = await loadRuntime()
  return migrateAll(database, last)
}
