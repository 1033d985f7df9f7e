import { invalid } from '../../platform/errors.ts'
import type { Paging } from '../../platform/list/page.ts'
import { words } from '../../platform/list/values.ts'
import type { WorkdayWorker } from './schema.ts'

type Entry = Record<string, unknown>

// The creator of a report chooses the names of its members. These are the usual ones, the first match counts;
// punctuation, case and prefixes such as wd: are ignored.
const NAMES = {
  username: ['username', 'workdayusername', 'useraccount', 'workdayaccount', 'login', 'userid'],
  email: [
    'workemail',
    'primaryworkemail',
    'emailprimarywork',
    'emailwork',
    'businessemail',
    'workemailaddress',
    'emailaddress',
    'email',
  ],
  firstName: [
    'firstname',
    'preferredfirstname',
    'givenname',
    'legalfirstname',
    'legalnamefirstname',
  ],
  lastName: [
    'lastname',
    'preferredlastname',
    'familyname',
    'surname',
    'legallastname',
    'legalnamelastname',
  ],
} as const
const FULL_NAMES = ['preferredname', 'fullname', 'legalname', 'workername', 'worker', 'name']
const EMPLOYEE_IDS = ['employeeid', 'employeenumber', 'workerid']

const plainName = (name: string): string =>
  name
    .replace(/^.*:/, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/** References are objects with a descriptor, and may come as a list of one. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.length === 1 ? textOf(value[0]) : ''
  if (typeof value !== 'object' || value === null) return ''
  const { Descriptor, descriptor = Descriptor } = value as Entry
  return typeof descriptor === 'string' ? descriptor.trim() : ''
}

/** What stands in brackets at the end is no name. */
function withoutRemark(name: string): string {
  const open = name.lastIndexOf('(')
  return open >= 0 && name.indexOf(')', open) === name.length - 1 ? name.slice(0, open) : name
}

/** "Ada Lovelace", "Lovelace, Ada", "Ada Lovelace (On Leave)". */
function splitName(name: string): { firstName: string; lastName: string } {
  const plain = withoutRemark(name).trim()
  const [family = '', given] = plain.split(',', 2)
  if (given !== undefined) return { firstName: given.trim(), lastName: family.trim() }
  const words = plain.split(/\s+/)
  const lastName = words.pop()!
  return { firstName: words.join(' '), lastName }
}

/** An entry of the report as a worker. Its attributes are the members that are no field of their own. */
export function toWorker(entry: Entry): WorkdayWorker {
  const members = new Map<string, string>()
  for (const name of Object.keys(entry))
    if (!members.has(plainName(name))) members.set(plainName(name), name)
  const used = new Set<string>()
  /** The first of these members with a value. */
  const pick = (names: readonly string[]): string => {
    for (const name of names) {
      const member = members.get(name)
      const text = member === undefined ? '' : textOf(entry[member])
      if (text === '') continue
      used.add(member!)
      return text
    }
    return ''
  }
  const worker = {
    username: pick(NAMES.username),
    email: pick(NAMES.email),
    firstName: pick(NAMES.firstName),
    lastName: pick(NAMES.lastName),
  }
  const attributes = Object.fromEntries(Object.entries(entry).filter(([name]) => !used.has(name)))
  const full = splitName(pick(FULL_NAMES))
  return {
    username: worker.username || pick(EMPLOYEE_IDS),
    email: worker.email,
    firstName: worker.firstName || full.firstName,
    lastName: worker.lastName || full.lastName,
    attributes,
  }
}

const SORTABLE = Object.keys(NAMES) as (keyof typeof NAMES)[]
type Compare = (a: WorkdayWorker, b: WorkdayWorker) => number

function comparison(sort: unknown): Compare | null {
  const keys = words(sort, /,/, 'sort').map((word) => {
    const name = SORTABLE.find((field) => field === word.replace(/^[-+]/, ''))
    if (!name)
      throw invalid('unknown_field', `sort: unknown field; must be one of ${SORTABLE.join(', ')}`)
    return { name, sign: word.startsWith('-') ? -1 : 1 }
  })
  if (keys.length === 0) return null
  return (a, b) => {
    for (const { name, sign } of keys)
      if (a[name] !== b[name]) return a[name] < b[name] ? -sign : sign
    return 0
  }
}

const DEFAULT_LIMIT = 10
/** More than in other lists: every page reads the whole report. */
const MAX_LIMIT = 1000

/** Collects one page of the workers, and keeps no more of them than it needs to. */
export class WorkerPage {
  totalCount = 0
  readonly #compare: Compare | null
  readonly #skip: number
  readonly #limit: number
  #kept: WorkdayWorker[] = []

  constructor({ limit = DEFAULT_LIMIT, skip = 0, sort }: Paging & { sort?: unknown }) {
    this.#compare = comparison(sort)
    this.#skip = skip
    this.#limit = limit === 0 ? MAX_LIMIT : Math.min(limit, MAX_LIMIT)
  }

  add(entry: Entry): void {
    this.totalCount++
    if (this.#compare) {
      this.#kept.push(toWorker(entry))
      if (this.#kept.length >= 2 * (this.#skip + this.#limit)) this.#trim(this.#compare)
    } else if (this.totalCount > this.#skip && this.#kept.length < this.#limit)
      this.#kept.push(toWorker(entry))
  }

  get workers(): WorkdayWorker[] {
    if (!this.#compare) return this.#kept
    this.#trim(this.#compare)
    return this.#kept.slice(this.#skip)
  }

  #trim(compare: Compare): void {
    this.#kept = this.#kept.sort(compare).slice(0, this.#skip + this.#limit)
  }
}
