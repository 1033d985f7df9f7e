import { createFirstAdministrator, createSetupToken } from './admins/index.ts'
import { createApp, type Labs } from './app.ts'
import { ensurePartitions, GeoIpDatabase } from './insights/index.ts'
import { jobDefinitions } from './jobs.ts'
import type { Config } from './platform/config.ts'
import { borrowDatabase, type Database, openDatabase } from './platform/database.ts'
import { type Db, openDb } from './platform/db/index.ts'
import { type Migration, migrate } from './platform/db/migrate.ts'
import { migrateQueue } from './platform/jobs/queue.ts'
import type { Logger } from './platform/log.ts'
import { sendKept } from './platform/mail.ts'
import { readMasterKey, Sealer } from './platform/secrets.ts'
import { Storage } from './platform/storage.ts'
import type { Steps } from './steps.ts'

export const migrateAll = (database: Database, last?: number): Promise<Migration[]> =>
  migrate(database.owner, (owner) => migrateQueue(owner, jobDefinitions), last)

const SEARCHES = 4

/** The migrated database and the keys to its secrets: what every process and command needs. */
export interface Runtime {
  database: Database
  db: Db
  /** For searches; see AppParts. */
  searchDb: Db
  storage: Storage
  sealer: Sealer
  close(): Promise<void>
}

async function openRuntime(
  config: Config,
  log: Logger,
  open: typeof openDatabase,
  steps?: Steps,
): Promise<Runtime> {
  const database = await (steps
    ? steps.run('Starting the database', () => open(config, log))
    : open(config, log))
  try {
    const migrated = await (steps
      ? steps.run('Preparing the tables', () => migrateAll(database))
      : migrateAll(database))
    if (migrated.length > 0)
      steps?.note(`${migrated.length} migrations, up to ${migrated.at(-1)!.name}`)
    for (const { name } of migrated) log.info({ migration: name }, 'migrated')
    const onError = (error: Error) =>
      log.debug({ reason: error.message }, 'database connection lost')
    const storage = new Storage(database.embedded?.directory ?? null, config.minFreeBytes, log)
    const limits = {
      tenantShare: config.tenantShare,
      listTimeoutMs: config.listTimeout,
      onError,
      onFull: storage.noteFull,
    }
    const db = openDb(database.service, { max: config.databasePool, ...limits })
    const searchDb = openDb(database.service, {
      max: SEARCHES,
      statementTimeoutMs: Math.round(config.searchSeconds * 1000),
      // Searches always have a tenant, so no connection is reserved for queries without one.
      spare: 0,
      ...limits,
    })
    const sealer = await Sealer.open(readMasterKey(config.masterKey, config.dataDir), db)
    const close = async () => {
      storage.stop()
      await Promise.all([db.close(), searchDb.close()])
      await database.stop()
    }
    return { database, db, searchDb, storage, sealer, close }
  } catch (error) {
    await database.stop()
    throw error
  }
}

const openServerRuntime = (config: Config, log: Logger, steps: Steps) =>
  openRuntime(config, log, openDatabase, steps)
/** For CLI commands, with or without a running server. */
export const openCliRuntime = (config: Config, log: Logger) =>
  openRuntime(config, log, borrowDatabase)

export async function startService(config: Config, log: Logger, labs: Labs, steps: Steps) {
  // Check before creating the first administrator: a start that fails later would not show the new key.
  if (config.geoipDatabase !== undefined)
    (await GeoIpDatabase.open(config.geoipDatabase, log)).close()
  const runtime = await openServerRuntime(config, log, steps)
  try {
    await ensurePartitions(runtime.db)
    const first = await createFirstAdministrator(runtime.db, {
      email: config.adminEmail,
      password: config.adminPassword,
      apiKey: config.adminApiKey,
    })
    const setupToken = config.role === 'worker' ? null : await createSetupToken(runtime.db)
    runtime.storage.watch()
    const app = await createApp({ config, log, labs, ...runtime })
    const stopCache = await app.contexts.admins.cache.listen(runtime.database.service, log)
    const stopListening = async () => {
      await Promise.all([stopCache(), app.forwarding.stop(), app.provisioning.stop()])
    }
    if (config.role !== 'web') {
      if (config.smtpUrl !== undefined) await sendKept(runtime.db, app.queue.send)
      await app.queue.work(runtime.database.service)
      app.forwarding.work()
      await app.provisioning.work(runtime.database.service)
    }
    // The demo data is recorded as the application records.
    return { app, runtime: { ...runtime, db: app.db }, first, setupToken, stopListening }
  } catch (error) {
    await runtime.close()
    throw error
  }
}
