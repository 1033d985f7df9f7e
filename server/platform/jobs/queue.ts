import { PgBoss } from 'pg-boss'
import Value from 'typebox/value'
import { type Connection, clientConfig, type Db } from '../db/index.ts'
import { sql } from '../db/sql.ts'
import type { Logger } from '../log.ts'
import { makeBoss, SCHEMA } from './boss.ts'
import { type Job, type JobDefinition, MAX_PAUSE_SECONDS, type SendJob } from './definition.ts'
import { type QueueDepth, queueDepths } from './depths.ts'
import { wakeWhenDue } from './due.ts'

/** A backstop only: workers are woken by notifications and wakeWhenDue. */
const WORKER_POLL_SECONDS = 600

/** Run by the owner, under the migration lock: pg-boss tables, our queues, grants for the service. */
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
    for (const { name, retry, singleton } of definitions) {
      const options = {
        retryLimit: retry.limit,
        retryDelay: retry.backoffSeconds,
        retryBackoff: true,
        retryDelayMax: MAX_PAUSE_SECONDS,
        heartbeatSeconds: 30,
        notify: true,
      }
      if (await boss.getQueue(name)) await boss.updateQueue(name, options)
      else await boss.createQueue(name, { ...options, ...(singleton && { policy: 'short' }) })
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
  /** Fetches and runs jobs until `stop`, woken by notifications over its own connection or when jobs are due. */
  work(connection: Connection, pollMs?: number): Promise<void>
  /** For tests: runs all due jobs in this process. Returns how many ran. */
  runDue(): Promise<number>
  depths(): Promise<QueueDepth[]>
  stop(): Promise<void>
}

function checkHandlers(definitions: JobDefinition[], jobs: Job[]): void {
  const handled = new Set(jobs.map(({ definition }) => definition.name))
  const missing = definitions.filter(({ name }) => !handled.has(name))
  if (missing.length > 0) {
    throw new Error(`No handler for job ${missing.map(({ name }) => name).join(', ')}`)
  }
}

export async function openQueue(
  db: Db,
  log: Logger,
  definitions: JobDefinition[],
  jobs: Job[],
): Promise<Queue> {
  checkHandlers(definitions, jobs)
  let stopWaking: (() => Promise<void>) | null = null
  let boss = makeBoss(db, log)
  await boss.start()

  /** Keeps one failed run of a recurring job: a retry already waiting covers this one. */
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

    async work(connection, pollMs) {
      await boss.stop({ graceful: false })
      const worker = makeBoss(db, log, connection)
      boss = worker
      await worker.start()
      const workers = new Map<string, string>()
      const wake = (queue: string) => {
        const id = workers.get(queue)
        if (id !== undefined) worker.notifyWorker(id)
      }
      for (const job of jobs) {
        const { name, cron } = job.definition
        if (cron) await worker.schedule(name, cron, {}, { tz: 'UTC' })
        const options = { pollingIntervalSeconds: WORKER_POLL_SECONDS }
        const id = await worker.work(name, options, async (batch) => {
          try {
            for (const { id, data } of batch) await runOne(job, id, (data ?? {}) as object)
          } finally {
            // Whatever its outcome, there may be more.
            wake(name)
          }
        })
        workers.set(name, id)
      }
      stopWaking = wakeWhenDue(db, log, wake, pollMs)
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
      await stopWaking?.()
      await boss.stop({ graceful: stopWaking !== null, timeout: 10_000 })
    },
  }
}
