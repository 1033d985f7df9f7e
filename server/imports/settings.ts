import { occurrences } from '../platform/cron.ts'
import { invalid } from '../platform/errors.ts'
import { compileMapping, type Mapping } from '../platform/mapping/index.ts'
import { defaultMapping } from './default-mapping.ts'
import { checkTargets } from './incoming.ts'
import { type ImportConfigPut, OPERATIONS, type Operation } from './schema.ts'
import { readSource, type SourceSettings } from './sources/settings.ts'

/** More than so many at once wait for an administrator; null: no limit. */
interface Threshold {
  users: number | null
  percent: number | null
}

/** The settings of a source without its secret, with all defaults filled in. */
export interface Settings {
  source: SourceSettings
  mapping: Mapping
  active: boolean
  protectFields: boolean
  /** A cron expression in UTC. */
  schedule: string | null
  missing: { action: 'ignore' | 'suspend'; after: number }
  limits: { suspensions: Threshold; changes: Threshold }
  /** Of scheduled runs. */
  operations: Operation[]
  allowUserReactivation: boolean
  /** Whether new active users get the mail with the link to their first password. */
  activationEmails: boolean
}

const DEFAULT_ABSENCES = 3
const DEFAULT_LIMITS = {
  suspensions: { users: 100, percent: 10 },
  changes: { users: null, percent: 50 },
}
/** Below so many the percentage does not count: a small organization is not a mistake. */
const MIN_COUNTED = 10

const orDefault = (value: number | null | undefined, byDefault: number | null): number | null =>
  value === undefined ? byDefault : value

function readLimits(sent: ImportConfigPut['limits']): Settings['limits'] {
  const one = (name: 'suspensions' | 'changes'): Threshold => ({
    users: orDefault(sent?.[name]?.users, DEFAULT_LIMITS[name].users),
    percent: orDefault(sent?.[name]?.percent, DEFAULT_LIMITS[name].percent),
  })
  return { suspensions: one('suspensions'), changes: one('changes') }
}

/** The next time after `now`; standard cron, five fields, in UTC. */
export function nextRun(schedule: string | null, now: Date): Date | null {
  if (schedule === null) return null
  return occurrences(schedule, now).next().toDate()
}

function readSchedule(schedule: string | null): string | null {
  if (schedule === null) return null
  try {
    if (schedule.trim().split(/\s+/).length !== 5) throw new Error('five fields')
    nextRun(schedule, new Date())
    return schedule.trim()
  } catch (cause) {
    throw invalid(
      'bad_schedule',
      'schedule: must be a cron expression with five fields, such as "0 3 * * *"',
      { cause },
    )
  }
}

/** A full replace: absent members get their defaults. */
export function readSettings(body: ImportConfigPut) {
  const { settings: source, secret, urls } = readSource(body.source)
  const mapping = body.mapping ?? defaultMapping(source)
  compileMapping(mapping)
  checkTargets(mapping)
  const schedule = readSchedule(body.schedule ?? null)
  if (schedule !== null && source.kind === 'file')
    throw invalid('bad_schedule', 'schedule: a file has nothing new to read')
  const settings: Settings = {
    source,
    mapping,
    active: body.active ?? true,
    protectFields: body.protectFields ?? source.kind !== 'file',
    schedule,
    missing: {
      action: body.missing?.action ?? 'ignore',
      after: body.missing?.after ?? DEFAULT_ABSENCES,
    },
    limits: readLimits(body.limits),
    operations: body.operations ?? [...OPERATIONS],
    allowUserReactivation: body.allowUserReactivation ?? false,
    activationEmails: body.activationEmails ?? true,
  }
  return { settings, secret, urls }
}

/** Whether so many of all at once need the confirmation of an administrator. */
export const exceeds = ({ users, percent }: Threshold, count: number, all: number): boolean =>
  (users !== null && count > users) ||
  (percent !== null && count > MIN_COUNTED && (count * 100) / all > percent)

/** How the users of each kind of source come in. */
export const ENTRY: Record<
  SourceSettings['kind'],
  { source: string; way: 'csvImport' | 'applicationImport' }
> = {
  rest: { source: 'custom_integration', way: 'applicationImport' },
  scim: { source: 'scim', way: 'applicationImport' },
  file: { source: 'bulk', way: 'csvImport' },
}
