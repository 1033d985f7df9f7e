import { PgBoss } from 'pg-boss'
import Value from 'typebox/value'
import { type Connection, clientConfig, type Db } from '../db.ts'
import type { Logger } from '../log.ts'
import { sql } from '../sql.ts'
import { type Job, type JobDefinition, MAX_PAUSE_SECONDS, type SendJob } from './definition.ts'
import { type QueueDepth, queueDepths } from './depths.ts'

const SCHEMA = 'pgboss'

/** Run by the owner, under the migration lock: the queue's own tables, our queues, the service's rights. */
export async function migrateQueue(owner: Connection, definitions: JobDefinition[]): Promise<void> {
  const boss = new PgBoss({
    ...clientConfig(owner),
    schema: SCHEMA,
    max: 1,
    supervise: false,
    schedule: false,
  } as ConstructorParameters<typeof PgBoss>[0] & object)
  boss.on('error', () => {})
  await boss.start()
  try {
    for (const { name, retry, oneWaiting } of definitions) {
      const options = {
        retryLimit: retry.limit,
        retryDelay: retry.backoffSeconds,
        retryBackoff: true,
        retryDelayMax: MAX_PAUSE_SECONDS,
        heartbeatSeconds: 30,
      }
      if (await boss.getQueue(name)) await boss.updateQueue(name, options)
      else await boss.createQueue(name, { ...options, ...(oneWaiting && { policy: 'short' }) })
    }
    const grants = `
      grant usage on schema ${SCHEMA} to gatehouse_service;
      grant select, insert, update, delete on all tables in schema ${SCHEMA} to gatehouse_service;
      grant usage on all sequences in schema ${SCHEMA} to gatehouse_service;
      grant execute on all functions in schema ${SCHEMA} to gatehouse_service`
    await boss.getDb().executeSql(grants)
  } finally {
    await boss.stop({ graceful: false })
  }
}

export interface Queue {
  send: SendJob
  /** Fetches and runs jobs until `stop`. */
  work(): Promise<void>
  /** For tests: runs everything that is due now, in this process. Returns how many jobs ran. */
  runDue(): Promise<number>
  depths(): Promise<QueueDepth[]>
  stop(): Promise<void>
}

export function checkHandlers(definitions: JobDefinition[], jobs: Job[]): void {
  const handled = new Set(jobs.map(({ definition }) => definition.name))
  const missing = definitions.filter(({ name }) => !handled.has(name))
  if (missing.length > 0) {
    throw new Error(`No handler for the job ${missing.map(({ name }) => name).join(', ')}`)
  }
}

export async function openQueue(
  db: Db,
  log: Logger,
  definitions: JobDefinition[],
  jobs: Job[],
): Promise<Queue> {
  checkHandlers(definitions, jobs)
  let working = false
  const make = (worker: boolean) => {
    const boss = new PgBoss({
      db: { executeSql: async (text, values) => db.pool.query(text, values as unknown[]) },
      schema: SCHEMA,
      migrate: false,
      createSchema: false,
      supervise: worker,
      schedule: worker,
      // Our role owns no index.
      reindex: false,
      monitorVacuum: false,
    })
    boss.on('error', (error) => log.warn({ reason: error.message }, 'job queue'))
    boss.on('warning', ({ message }) => log.debug({ reason: message }, 'job queue'))
    return boss
  }
  let boss = make(false)
  await boss.start()

  /** Of what comes round by itself one failure at a time is enough: the run that waits does the work of both. */
  const leftToAnother = async ({ name, cron }: JobDefinition, id: string): Promise<boolean> =>
    cron !== undefined &&
    (await db.one(
      sql`select from pgboss.job where name = ${name} and state = 'retry' and id <> ${id} limit 1`,
    )) !== undefined

  async function runOne(job: Job, id: string, data: object): Promise<void> {
    const started = Date.now()
    try {
      if (await leftToAnother(job.definition, id)) return
      await job.run(Value.Parse(job.definition.payload, data))
      log.info({ job: job.definition.name, id, ms: Date.now() - started }, 'job done')
    } catch (error) {
      log.error({ job: job.definition.name, id, err: error }, 'job failed')
      throw error
    }
  }

  return {
    async send(tx, definition, payload, { startAfter, key } = {}) {
      const queue = {
        executeSql: async (text: string, values?: unknown[]) => tx.execute(text, values),
      }
      await boss.send(definition.name, payload as object, {
        db: queue,
        ...(startAfter && { startAfter }),
        ...(key !== undefined && { singletonKey: key }),
      })
    },

    async work() {
      await boss.stop({ graceful: false })
      boss = make(true)
      await boss.start()
      working = true
      for (const job of jobs) {
        const { name, cron } = job.definition
        if (cron) await boss.schedule(name, cron, {}, { tz: 'UTC' })
        const worker = boss
        let workerId: string | undefined
        workerId = await worker.work(name, { pollingIntervalSeconds: 1 }, async (batch) => {
          for (const { id, data } of batch) await runOne(job, id, (data ?? {}) as object)
          // There may be more: a thousand mails would else take as many seconds.
          if (workerId !== undefined) worker.notifyWorker(workerId)
        })
      }
    },

    async runDue() {
      let ran = 0
      for (let found = true; found; ) {
        found = false
        for (const job of jobs) {
          for (const { id, data } of await boss.fetch(job.definition.name, { batchSize: 100 })) {
            found = true
            ran++
            try {
              await runOne(job, id, (data ?? {}) as object)
              await boss.complete(job.definition.name, id)
            } catch (error) {
              await boss.fail(job.definition.name, id, error as object)
            }
          }
        }
      }
      return ran
    },

    depths: () => queueDepths(db),

    async stop() {
      await boss.stop({ graceful: working, timeout: 10_000 })
    },
  }
}
