import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Config } from './config.ts'
import type { Connection } from './db/index.ts'
import { messageOf, OperatorError } from './errors.ts'
import { lockDataDirectory, lockHolder, prepareDataDirectory } from './postgres/data-directory.ts'
import { connectionsOf, EmbeddedPostgres, type Logger } from './postgres/embedded.ts'

const SERVICE_ROLE = 'gatehouse_service'

export interface Database {
  /** Runs migrations. */
  owner: Connection
  /** Everything else; bound by row-level security. */
  service: Connection
  embedded: EmbeddedPostgres | null
  stop(): Promise<void>
}

function serverConnections({
  databaseUrl,
  databaseOwnerUrl,
}: Config): Pick<Database, 'owner' | 'service'> {
  return {
    owner: { connectionString: databaseOwnerUrl ?? databaseUrl! },
    // Drop to the restricted role, whatever the login may do.
    service: { connectionString: databaseUrl!, role: SERVICE_ROLE },
  }
}

async function checkReachable(connection: Connection): Promise<void> {
  const client = new pg.Client({
    connectionString: connection.connectionString,
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new OperatorError(`The database of DATABASE_URL cannot be reached: ${messageOf(error)}`)
  } finally {
    await client.end().catch(() => {})
  }
}

/** For a server process: the PostgreSQL of DATABASE_URL, or an embedded one in the data directory. */
export async function openDatabase(config: Config, log: Logger): Promise<Database> {
  prepareDataDirectory(config.dataDir)
  if (config.databaseUrl !== undefined) {
    const connections = serverConnections(config)
    await checkReachable(connections.owner)
    return { ...connections, embedded: null, stop: async () => {} }
  }
  const unlock = lockDataDirectory(config.dataDir)
  try {
    const embedded = await EmbeddedPostgres.start(config.dataDir, log)
    const stop = async () => {
      await embedded.stop()
      unlock()
    }
    return { owner: embedded.owner, service: embedded.service, embedded, stop }
  } catch (error) {
    unlock()
    throw error
  }
}

const isMissing = (config: Config): boolean =>
  config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres'))

/** For commands that would otherwise set up an empty database and report that nothing is there. */
export function requireDatabase(config: Config): void {
  if (isMissing(config))
    throw new OperatorError(
      `There is no database in ${config.dataDir}: start the service first, or set GATEHOUSE_DATA_DIR or DATABASE_URL to those of the service`,
    )
}

/** For a CLI command: shares the database of a running server, otherwise starts one for the duration of the command. */
export async function borrowDatabase(config: Config, log: Logger): Promise<Database> {
  if (
    config.databaseUrl === undefined &&
    !isMissing(config) &&
    lockHolder(config.dataDir) !== null
  ) {
    return { ...connectionsOf(config.dataDir), embedded: null, stop: async () => {} }
  }
  return openDatabase(config, log)
}
