import type { components } from '../../../../../client/index.ts'

// Workers of a report, as the entries of an import.

export type Worker = components['schemas']['WorkdayWorker']
export type State = 'ACTIVATED' | 'STAGED'

type Entry = components['schemas']['UserCreate']

const MAX_TEXT = 1024
/** Well below the body that the service takes by default. */
const MAX_BYTES = 500_000
const MAX_ENTRIES = 10_000
/** As the API checks it. */
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i

export const nameOf = ({ firstName, lastName, username }: Worker): string =>
  `${firstName} ${lastName}`.trim() || username

/** Why no user can be made. Checked here, since the API refuses an import as a whole for one such entry. */
export function obstacleOf({ username, email }: Worker): string | null {
  if (username === '') return 'No username'
  if (/\s/.test(username)) return 'A space in the username'
  if (email === '') return 'No e-mail'
  return EMAIL.test(email) ? null : 'E-mail is not valid'
}

/** References of Workday are objects with a descriptor, and may come as a list of one. Empty: nothing to show. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.length === 1 ? textOf(value[0]) : ''
  if (typeof value !== 'object' || value === null) return ''
  const { Descriptor, descriptor = Descriptor } = value as Record<string, unknown>
  return typeof descriptor === 'string' ? descriptor.trim() : ''
}

export function entryOf(worker: Worker, state: State | undefined): Entry {
  const { username, email, firstName: firstname, lastName: lastname } = worker
  const attributes = Object.entries(worker.attributes)
    .map(([name, value]) => ({ name, value: textOf(value) }))
    .filter(({ name, value }) => name !== '' && value !== '')
    .filter(({ name, value }) => name.length <= MAX_TEXT && value.length <= MAX_TEXT)
  return { username, email, firstname, lastname, ...(state && { state }), attributes }
}

/** As few requests as their size allows. */
export function partsOf(entries: readonly Entry[]): Entry[][] {
  const encoder = new TextEncoder()
  const parts: Entry[][] = []
  let room = 0
  for (const entry of entries) {
    const size = encoder.encode(JSON.stringify(entry)).length + 1
    const last = parts.at(-1)
    if (last && size <= room && last.length < MAX_ENTRIES) {
      last.push(entry)
      room -= size
    } else {
      parts.push([entry])
      room = MAX_BYTES - size
    }
  }
  return parts
}

/** What tells workers apart at a glance comes first. */
const TELLING = [
  /^(employee|worker)(id|number)$/,
  /title$|^jobprofile$/,
  /department|costcenter|organization/,
  /^(worker|employment|employee)status$/,
  /location/,
]

const plainName = (name: string): string =>
  name
    .replace(/^.*:/, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

function rankOf(name: string): number {
  const at = TELLING.findIndex((pattern) => pattern.test(plainName(name)))
  return at < 0 ? TELLING.length : at
}

/** The attributes to show of these workers. */
export function columnsOf(workers: readonly Worker[], count: number): string[] {
  const names = new Set(
    workers.flatMap(({ attributes }) =>
      Object.entries(attributes).flatMap(([name, value]) => (textOf(value) === '' ? [] : name)),
    ),
  )
  return [...names].toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, count)
}
