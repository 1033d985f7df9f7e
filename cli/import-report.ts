import type { ImportJob, ImportResult } from '../server/imports/schema.ts'
import type { ImportApi } from './import-api.ts'
import { printable, table } from './output.ts'

type Action = keyof ImportJob['planned']

const DONE: Record<Action, string> = {
  create: 'created',
  update: 'updated',
  suspend: 'suspended',
  reactivate: 'reactivated',
  none: 'unchanged',
  skip: 'skipped',
  park: 'parked',
}
/** Always shown; the others only when there are any. */
const USUAL: readonly Action[] = ['create', 'update', 'suspend', 'none', 'park']
const IDLE: readonly string[] = ['none', 'skip']

/** Rows that are printed; --json has all. */
const MAX_SHOWN = 20

interface Meta {
  action?: Action
  changes?: { field: string; from?: unknown; to?: unknown }[]
}
const metaOf = ({ meta }: ImportResult): Meta => meta as Meta

/** Who a row is about. */
function who({ persistedFields, meta }: ImportResult): string {
  const { write = {}, externalId } = persistedFields as {
    write?: { username?: string; email?: string }
    externalId?: string
  }
  return printable(
    write.username ?? write.email ?? externalId ?? (meta as typeof write).email ?? '?',
  )
}

const shown = (value: unknown): string => {
  if (value === undefined || value === null || value === '') return 'nothing'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const changeText = ({ field, from, to }: NonNullable<Meta['changes']>[number]): string =>
  from === undefined ? `${field}: ${shown(to)}` : `${field}: ${shown(from)} → ${shown(to)}`

function planLine(row: ImportResult): string[] {
  const { action = 'none', changes = [] } = metaOf(row)
  const words = action === 'park' ? row.statusMsg : changes.map(changeText).join(', ')
  return [action, who(row), printable(words)]
}

/** What a job would do to each person, as far as it fits. */
export async function planLines(api: ImportApi, { id, planned }: ImportJob): Promise<string[]> {
  const { none, skip, ...rest } = planned
  const count = Object.values(rest).reduce((sum, one) => sum + one, 0)
  const rows: string[][] = []
  const wanted = Math.min(count, MAX_SHOWN)
  if (wanted > 0)
    for await (const row of api.rows(id)) {
      if (!IDLE.includes(metaOf(row).action ?? 'none')) rows.push(planLine(row))
      if (rows.length === wanted) break
    }
  return [
    ...(rows.length > 0 ? table(['ACTION', 'WHO', 'WHAT'], rows) : ['Nothing would change.']),
    ...(count > wanted ? [`and ${count - wanted} more; --json prints all`] : []),
    '',
  ]
}

const countLines = (counts: ImportJob['planned'], failed: number): string[] => {
  const actions = (Object.keys(DONE) as Action[]).filter(
    (action) => USUAL.includes(action) || counts[action] > 0,
  )
  return table(
    [...actions.map((action) => DONE[action].toUpperCase()), 'FAILED'],
    [[...actions.map((action) => String(counts[action])), String(failed)]],
  )
}

const failureLines = (rows: ImportResult[]): string[] => [
  ...rows.slice(0, MAX_SHOWN).map((row) => `${who(row)}: ${printable(row.statusMsg)}`),
  ...(rows.length > MAX_SHOWN ? [`and ${rows.length - MAX_SHOWN} more; --json prints all`] : []),
]

/** Counts of what was done: the plan, less what failed. */
export function summaryLines(
  { planned, kind, ...job }: ImportJob,
  failures: ImportResult[],
): string[] {
  const { total, succeeded } = job
  if (kind === 'undo') return [`${succeeded} of ${total} rows undone`, ...failureLines(failures)]
  const counts = { ...planned }
  const tried = failures.filter((row) => metaOf(row).action !== 'park')
  for (const row of tried) counts[metaOf(row).action ?? 'none']--
  return [...countLines(counts, tried.length), ...failureLines(failures)]
}

/** Counts of what would be done. */
export const plannedLines = ({ planned }: ImportJob): string[] => countLines(planned, 0)
