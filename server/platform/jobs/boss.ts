import { PgBoss, type Db as QueueDb } from 'pg-boss'
import type { Connection, Db } from '../db/index.ts'
import { listen } from '../db/listen.ts'
import type { Logger } from '../log.ts'

export const SCHEMA = 'pgboss'

const listenOn =
  (connection: Connection, log: Logger): NonNullable<QueueDb['listen']> =>
  async (channel, onNews, onConnect) => ({
    close: await listen(connection, channel, { onNews, onConnect }, log),
  })

/** Sends jobs; given a connection to listen on, it also runs them and maintains the queues. */
export function makeBoss(db: Db, log: Logger, connection?: Connection): PgBoss {
  const worker = connection !== undefined
  const boss = new PgBoss({
    db: {
      executeSql: async (text, values) => db.pool.query(text, values as unknown[]),
      ...(connection && { listen: listenOn(connection, log) }),
    },
    schema: SCHEMA,
    migrate: false,
    createSchema: false,
    supervise: worker,
    schedule: worker,
    useListenNotify: worker,
    // How soon the job of a process that died is given to another one, beside its heartbeat.
    superviseIntervalSeconds: 15,
    monitorIntervalSeconds: 15,
    // Scheduled jobs are hourly or daily: seconds do not matter.
    cronWorkerIntervalSeconds: 15,
    // We use no flows.
    flowIntervalSeconds: 3600,
    // Our role owns no index.
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.warn({ reason: error.message }, 'job queue'))
  boss.on('warning', ({ message }) => log.debug({ reason: message }, 'job queue'))
  return boss
}
