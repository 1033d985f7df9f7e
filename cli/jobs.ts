import { OperatorError } from '../server/platform/errors.ts'
import { queueDepths } from '../server/platform/jobs/depths.ts'
import { listFailedJobs, retryJobs } from '../server/platform/jobs/failures.ts'
import { command } from './command.ts'
import { print, table } from './output.ts'
import { withRuntime } from './runtime.ts'

const MAX_REASON = 80

export const verb = {
  list: command({
    about: 'Shows the number of waiting, active, retrying and failed jobs by queue.',
    options: {
      failed: {
        type: 'boolean',
        about: 'List failed jobs instead, including those that will be retried',
      },
    },
    json: true,
    run: ({ options: { failed }, json }) =>
      withRuntime(async ({ db }) => {
        if (!failed) {
          const queues = (await queueDepths(db)).sort((a, b) => a.name.localeCompare(b.name))
          print(json, queues, () =>
            table(
              ['QUEUE', 'WAITING', 'ACTIVE', 'RETRYING', 'FAILED'],
              queues.map(({ name, waiting, active, retrying, failed }) => [
                name,
                ...[waiting, active, retrying, failed].map(String),
              ]),
            ),
          )
          return
        }
        const jobs = await listFailedJobs(db)
        print(json, jobs, () =>
          jobs.length === 0
            ? ['No failed jobs.']
            : table(
                ['ID', 'QUEUE', 'STATE', 'ATTEMPTS', 'CREATED', 'NEXT', 'REASON'],
                jobs.map(({ id, queue, state, attempts, created, next, reason }) => [
                  id,
                  queue,
                  state,
                  String(attempts),
                  created,
                  next ?? '-',
                  (reason ?? '-').replace(/\s+/g, ' ').slice(0, MAX_REASON),
                ]),
              ),
        )
      }),
  }),
  retry: command({
    about: 'Runs failed jobs again immediately.',
    operands: ['JOB'],
    notes: ['JOB is a job id, a queue name, or all. A worker must be running.'],
    json: true,
    run: ({ operands, json }) =>
      withRuntime(async ({ db }) => {
        const [job] = operands as [string]
        const retried = await retryJobs(db, job)
        if (retried === 0 && job !== 'all')
          throw new OperatorError(
            `No failed job matches "${job}"; see gatehouse jobs list --failed`,
          )
        print(json, { retried }, () => [
          retried === 1 ? '1 job will run again.' : `${retried} jobs will run again.`,
        ])
      }),
  }),
}
