/** Members of an event that keep their case: they are not searchable, or are not words. */
const AS_SENT = new Set(['timestamp', 'changes', 'useragent', 'system_timestamp', 'ingested_at'])

/**
 * A text as it is stored and searched. A sigma at the end of a word has a letter of its own, which would make
 * what is found depend on where the word was cut.
 */
export const foldText = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

type Json = Record<string, unknown>

/**
 * The members, each as `change` makes it; the same object when all stay as they are, as most are folded already.
 * `owned`: nobody else has the object, and it may be changed itself.
 */
function mapMembers(
  value: Json,
  owned: boolean,
  change: (member: unknown, name: string) => unknown,
): Json {
  let changed: Json | null = owned ? value : null
  for (const name in value) {
    const member = value[name]
    const made = change(member, name)
    if (made === member) continue
    changed ??= { ...value }
    // Defined, not assigned: a source may well send a member called `__proto__`.
    if (name === '__proto__') Object.defineProperty(changed, name, { ...OWN, value: made })
    else changed[name] = made
  }
  return changed ?? value
}
const OWN = { enumerable: true, writable: true, configurable: true }

function lower(value: unknown, owned: boolean): unknown {
  if (typeof value === 'string') return foldText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => lower(one, owned))
  return mapMembers(value as Json, owned, (member) => lower(member, owned))
}

const foldMembers = (document: Json, owned: boolean): Json =>
  mapMembers(document, owned, (member, name) => (AS_SENT.has(name) ? member : lower(member, owned)))

/** Searchable values are stored in lower case, so that a search never depends on it. */
export const fold = (document: object): Json => foldMembers(document as Json, false)

/** The same in place: a copy has a shape of its own, which makes it slow to read and to write. */
export const foldInPlace = (document: Json): void => {
  foldMembers(document, true)
}

/** The text of a document. jsonb knows neither U+0000 nor half a surrogate pair, and a search reads it as such. */
export function documentText(document: object): string {
  const text = JSON.stringify(document)
  // That is how they look in JSON; most documents have none, and are done.
  if (!/\\u(0000|d[89a-f])/.test(text)) return text
  return JSON.stringify(document, (_, value) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value,
  )
}

export interface Change {
  field: string
  from?: unknown
  to?: unknown
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/**
 * What differs between two records, as the list that events carry. Fields named in `secrets` are told
 * without their values.
 */
export function changesBetween(
  before: object,
  after: object,
  secrets: readonly string[] = [],
): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changes: Change[] = []
  for (const field of names) {
    const from = (before as Record<string, unknown>)[field]
    const to = (after as Record<string, unknown>)[field]
    if (same(from, to)) continue
    if (secrets.includes(field)) changes.push({ field })
    else
      changes.push({ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) })
  }
  return changes
}
