import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { ImportJob, ImportJobCreate } from '../server/imports/schema.ts'
import { OperatorError } from '../server/platform/errors.ts'
import { command, type Options, UsageError, type Values } from './command.ts'
import { readTarget, TARGET } from './events-options.ts'
import { findApplication, type ImportApi, importApi } from './import-api.ts'
import { type PeopleFile, readPeople } from './import-file.ts'
import { planLines, plannedLines, summaryLines } from './import-report.ts'
import { print, progressLine } from './output.ts'

const { provider: _, ...ONE_TENANT } = TARGET
const OPERATIONS = ['create', 'update'] as const
const STATES = ['STAGED', 'ACTIVATED', 'SUSPENDED'] as const
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 1000
/** Between lines of progress that stay. */
const QUIET_MS = 10_000

const OPTIONS = {
  ...ONE_TENANT,
  application: {
    type: 'string',
    value: 'ID|NAME',
    about: 'Application that holds the history; "File import" by default, created when missing',
  },
  'dry-run': { type: 'boolean', about: 'Only show what would change' },
  mapping: {
    type: 'string',
    value: 'FILE',
    about: 'JSON file with a mapping; see docs/mapping.md',
  },
  operations: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    about: 'create, update or both; both by default',
  },
  'no-reactivate': { type: 'boolean', about: 'Suspended users stay suspended' },
  state: { type: 'string', value: 'STATE', about: 'Of new users: STAGED, ACTIVATED or SUSPENDED' },
  emails: { type: 'boolean', about: 'Mail new active users a link to set their password' },
  'no-emails': { type: 'boolean', about: 'Mail nobody' },
  charset: { type: 'string', value: 'NAME', about: 'Encoding of the file; utf-8 by default' },
  yes: { type: 'boolean', about: 'Go on although many users would change' },
  undo: { type: 'string', value: 'JOB', about: 'Take back what this job has done' },
} as const satisfies Options
type Given = Values<typeof OPTIONS>

function readMapping(file: string | undefined): unknown {
  if (file === undefined) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UsageError(`${file} is not valid JSON: ${error.message}`)
  }
}

function readJob(options: Given): ImportJobCreate {
  const { operations, state, 'dry-run': dryRun = false } = options
  const names = operations.map((name) => name.replace(/^users\./, ''))
  const wanted = OPERATIONS.filter((name) => names.length === 0 || names.includes(name))
  if (names.some((name) => !OPERATIONS.includes(name as 'create')))
    throw new UsageError('--operations must be create, update or both')
  const asked = STATES.find((one) => one === state?.toUpperCase())
  if (state !== undefined && !asked)
    throw new UsageError(`--state must be one of ${STATES.join(', ')}`)
  return {
    operations: wanted.map((name) => `users.${name}` as const),
    allowUserReactivation: options['no-reactivate'] !== true,
    ...(asked && { state: asked }),
    dryRun,
  }
}

function readEmails({ emails, 'no-emails': none }: Given): boolean | undefined {
  if (emails && none) throw new UsageError('--emails and --no-emails are mutually exclusive')
  return emails || none ? emails === true : undefined
}

/**
 * Makes the application read this file. What an administrator has configured stays; a mapping only where the application
 * was named: the default one holds files of any kind.
 */
async function configure(
  api: ImportApi,
  { source }: PeopleFile,
  options: Given,
  mapping: unknown,
): Promise<void> {
  const emails = readEmails(options)
  const before = await api.config()
  if (before && before.source.kind !== 'file')
    throw new OperatorError(
      `The application imports from ${before.source.kind}, not from files; use another --application`,
    )
  const kept = options.application === undefined ? undefined : before?.mapping
  const chosen = mapping ?? kept
  await api.putConfig({
    source,
    ...(chosen !== undefined && { mapping: chosen }),
    ...(emails !== undefined && { activationEmails: emails }),
    ...(before && {
      active: before.active,
      protectFields: before.protectFields,
      missing: before.missing,
      limits: before.limits,
      operations: before.operations,
      allowUserReactivation: before.allowUserReactivation,
      activationEmails: emails ?? before.activationEmails,
    }),
  })
}

function progressOf({ status, phase, total, pending, failed }: ImportJob): string {
  if (status === 'queued') return 'waiting for a worker'
  if (phase === 'plan') return `reading: ${total} rows`
  const done = total - pending
  const percent = total === 0 ? 100 : Math.floor((done * 100) / total)
  return `importing: ${done} of ${total} (${percent} %)${failed > 0 ? `, ${failed} failed` : ''}`
}

/** Waits until the job ends or waits for confirmation. */
async function follow(api: ImportApi, id: string): Promise<ImportJob> {
  const line = progressLine()
  const terminal = process.stderr.isTTY
  let last = { step: '', at: 0 }
  try {
    for (let pause = MIN_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
      const job = await api.job(id)
      if (!['queued', 'running'].includes(job.status)) return job
      const step = `${job.status} ${job.phase}`
      line.show(progressOf(job))
      if (!terminal && (step !== last.step || Date.now() - last.at > QUIET_MS)) {
        last = { step, at: Date.now() }
        process.stderr.write(`${progressOf(job)}\n`)
      }
      await delay(pause)
    }
  } finally {
    line.done()
  }
}

/** Follows a job to its end; over a limit of the application, it goes on only with --yes. */
async function finish(api: ImportApi, id: string, yes: boolean): Promise<ImportJob> {
  let job = await follow(api, id)
  if (job.status === 'waiting' && yes) {
    await api.confirm(id)
    job = await follow(api, id)
  }
  if (job.status === 'waiting') {
    await api.cancel(id)
    throw new OperatorError(
      `${job.statusReason}. Nothing was changed; see --dry-run, then repeat with --yes`,
    )
  }
  if (job.status !== 'finished')
    throw new OperatorError(`Job ${id} ${job.status}: ${job.statusReason ?? 'by an administrator'}`)
  return job
}

async function report(api: ImportApi, job: ImportJob, json: boolean): Promise<void> {
  if (job.failed > 0) process.exitCode = 1
  if (job.dryRun) {
    const rows = json ? await api.allRows(job.id) : []
    const lines = json ? [] : await planLines(api, job)
    return print(json, { job, rows }, () => [...lines, ...plannedLines(job)])
  }
  const rows = job.failed > 0 ? await api.allRows(job.id, { success: 'false' }) : []
  print(json, { job, rows }, () => [
    ...summaryLines(job, rows),
    ...(job.kind === 'import' && job.succeeded > 0
      ? [`Job ${job.id}; gatehouse import --undo ${job.id} takes it back`]
      : []),
  ])
}

export const verb = command({
  about: 'Imports people from a CSV, JSON or JSON Lines file; - is stdin.',
  operands: ['[FILE]'],
  options: OPTIONS,
  notes: [
    'A person who was imported before, or has the e-mail address or username of a user, is updated.',
    'Columns are found by their usual names, such as First Name and Work Email; --mapping takes others.',
    'The exit code is 1 when a row failed, or when nothing was done because --yes is missing.',
  ],
  json: true,
  async run({ options, operands: [file], json }) {
    const target = readTarget({ ...options, provider: undefined })
    if (target.organizationIds.length > 1) throw new UsageError('--org must be one organization')
    if ((file === undefined) === (options.undo === undefined))
      throw new UsageError('either FILE or --undo must be given; see gatehouse import --help')
    const body = readJob(options)
    const mapping = readMapping(options.mapping)
    readEmails(options)
    const people = file === undefined ? undefined : await readPeople(file, options.charset)
    const applicationId = await findApplication(target, options.application, {
      create: people !== undefined,
    })
    const api = importApi(target, applicationId)
    let id: string
    if (people) {
      await configure(api, people, options, mapping)
      await api.putFile(people.name, people.content)
      id = await api.start(body)
    } else id = await api.undo(options.undo!)
    await report(api, await finish(api, id, options.yes === true), json)
  },
})
