import { OperatorError } from '../server/platform/errors.ts'
import { queueDepths } from '../server/platform/jobs/depths.ts'
import { listFailedJobs, retryJobs } from '../server/platform/jobs/failures.ts'
import { command } from './command.ts'
import { print, table } from './output.ts'
import { withRuntime } from './runtime.ts'

const MAX_REASON = 80

export const verb = {
  list: command({
    about: 'Shows how many jobs wait, run, are tried again and have failed, by queue.',
    options: {
      failed: {
        type: 'boolean',
        about: 'Instead each job that has failed: given up, or to be tried again',
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
            ? ['No job has failed.']
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
    about: 'Lets jobs that have failed run again at once.',
    operands: ['JOB'],
    notes: ['JOB is the id of a job, the name of a queue, or all. A worker must be running.'],
    json: true,
    run: ({ operands, json }) =>
      withRuntime(async ({ db }) => {
        const [job] = operands as [string]
        const retried = await retryJobs(db, job)
        if (retried === 0 && job !== 'all')
          throw new OperatorError(
            `No failed job is or belongs to "${job}"; see gatehouse jobs list --failed`,
          )
        print(json, { retried }, () => [
          retried === 1 ? '1 job is tried again.' : `${retried} jobs are tried again.`,
        ])
      }),
  }),
}
