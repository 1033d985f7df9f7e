import { jobDefinitions } from '../server/jobs.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { migrateQueue } from '../server/platform/jobs/queue.ts'
import { EmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { asOwner, type ClusterConnections, onDatabase, TEMPLATE } from '../test/cluster.ts'

/** Favours speed over durability, for a cluster that lives for one run: crash tests start their own databases. */
export const SPEED = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '8GB',
}

/** The PostgreSQL of a whole test run: embedded, or the server of TEST_DATABASE_URL; with a migrated template. */
export async function startTestCluster(directory: string, url: string | undefined) {
  const embedded = url
    ? null
    : await EmbeddedPostgres.start(directory, { info: () => {}, warn: () => {} })
  const connections: ClusterConnections = embedded
    ? { owner: { ...embedded.owner, database: 'postgres' }, service: embedded.service }
    : {
        owner: { connectionString: url! },
        service: { connectionString: url!, role: 'gatehouse_service' },
      }
  const version = await asOwner(connections.owner, async (client) => {
    // A server keeps its settings.
    if (embedded) {
      for (const [name, value] of Object.entries(SPEED))
        await client.query(`alter system set ${name} = '${value}'`)
      await client.query('select pg_reload_conf()')
    }
    await client.query(`drop database if exists ${TEMPLATE}`)
    await client.query(`create database ${TEMPLATE}`)
    return (await client.query('show server_version')).rows[0].server_version as string
  })
  await migrate(onDatabase(connections.owner, TEMPLATE), (owner) =>
    migrateQueue(owner, jobDefinitions),
  )
  const stop = async () => {
    await asOwner(connections.owner, (client) =>
      client.query(`drop database if exists ${TEMPLATE} with (force)`),
    )
    await embedded?.stop()
  }
  return { connections, version, stop }
}
