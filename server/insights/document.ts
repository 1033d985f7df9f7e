/** Members of an event that keep their case: they are not searchable, or not text. */
const AS_SENT = new Set(['timestamp', 'changes', 'useragent', 'system_timestamp', 'ingested_at'])

/**
 * A text as it is stored and searched. Greek has a second sigma for the end of a word: kept apart, matches would depend
 * on where a word is cut.
 */
export const foldText = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

type Json = Record<string, unknown>

/**
 * Maps the members; returns the same object when none changes, as most are folded already. With `owned` the object has
 * no other user and is changed in place.
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
    // Defined, not assigned: a source may send a member called `__proto__`.
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

/** Searchable values are stored in lower case, so that searches ignore case. */
export const fold = (document: object): Json => foldMembers(document as Json, false)

/** The same in place: a copy gets its own hidden class, which makes it slow to read and write. */
export const foldInPlace = (document: Json): void => {
  foldMembers(document, true)
}

/** The text of a document, without U+0000 and lone surrogates: searches parse it as jsonb, which rejects them. */
export function documentText(document: object): string {
  const text = JSON.stringify(document)
  // Their JSON escapes; most documents have none.
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
 * The differences between two records, as the `changes` of an event. Fields named in `hidden` are listed without
 * their values: secrets, and what is too large.
 */
export function changesBetween(
  before: object,
  after: object,
  hidden: readonly string[] = [],
): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changes: Change[] = []
  for (const field of names) {
    const from = (before as Record<string, unknown>)[field]
    const to = (after as Record<string, unknown>)[field]
    if (same(from, to)) continue
    if (hidden.includes(field)) changes.push({ field })
    else
      changes.push({ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) })
  }
  return changes
}
