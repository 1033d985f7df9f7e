// A search term as a tree, and its form in requests.

export type Scalar = string | number | boolean

export interface Leaf {
  type: 'leaf'
  field: string
  operator: string
  /** A list for `in` and `not_in`. */
  value: Scalar | Scalar[]
}

interface Group {
  type: 'and' | 'or'
  terms: Term[]
}

export type Term = Leaf | Group | { type: 'not'; term: Term }

export const isList = (operator: string): boolean => operator === 'in' || operator === 'not_in'

/** Lists within a list of their kind are part of it; a list of one is that one. Null for none. */
export function groupOf(type: 'and' | 'or', terms: Term[]): Term | null {
  const flat = terms.flatMap((term) => (term.type === type ? term.terms : [term]))
  return flat.length > 1 ? { type, terms: flat } : (flat[0] ?? null)
}

type Json = Record<string, unknown>

const RESERVED = ['and', 'or', 'not', 'field', 'operator', 'value']

function jsonOfLeaf({ field, operator, value }: Leaf): Json {
  const plain = operator === (Array.isArray(value) ? 'in' : 'eq') && !RESERVED.includes(field)
  return plain ? { [field]: value } : { field, operator, value }
}

function jsonOf(term: Term): Json {
  if (term.type === 'leaf') return jsonOfLeaf(term)
  if (term.type === 'not')
    return { not: listOf(term.term.type === 'or' ? term.term.terms : [term.term]) }
  return { [term.type]: listOf(term.terms) }
}

/** A list must not repeat a field, so further terms about it get a list of their own. */
function listOf(terms: Term[]): Json[] {
  const seen = new Set<string>()
  return terms.map((term) => {
    if (term.type !== 'leaf' || !seen.has(term.field)) {
      if (term.type === 'leaf') seen.add(term.field)
      return jsonOf(term)
    }
    return { and: [jsonOfLeaf(term)] }
  })
}

/** The `search_term` of a request; undefined for no condition. */
export const toJson = (term: Term | null): Json | undefined =>
  term === null ? undefined : term.type === 'leaf' ? { and: [jsonOf(term)] } : jsonOf(term)

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isScalar = (value: unknown): value is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof value)
const isGroup = (key: string): key is 'and' | 'or' | 'not' => ['and', 'or', 'not'].includes(key)
const isOperatorForm = (raw: Json) => 'field' in raw && 'value' in raw

function readLeaf(field: unknown, operator: unknown, value: unknown): Leaf {
  if (typeof field !== 'string' || field === '') throw new Error('A field must be a text')
  const valid = Array.isArray(value) ? value.every(isScalar) : isScalar(value)
  if (!valid) throw new Error(`The value of ${field} must be a text, number, boolean or a list`)
  const chosen = operator ?? (Array.isArray(value) ? 'in' : 'eq')
  if (typeof chosen !== 'string') throw new Error(`The operator of ${field} must be a text`)
  return {
    type: 'leaf',
    field,
    operator: chosen,
    value: isList(chosen) ? [value as Scalar].flat() : (value as Scalar),
  }
}

function readGroup(key: 'and' | 'or' | 'not', raw: unknown): Term | null {
  if (!Array.isArray(raw) && !isObject(raw)) throw new Error(`"${key}" must be a list of terms`)
  const list: unknown[] = Array.isArray(raw)
    ? raw
    : isOperatorForm(raw)
      ? [raw]
      : Object.entries(raw).map(([name, value]) => ({ [name]: value }))
  const terms = list.map(readTerm).filter((term) => term !== null)
  if (key !== 'not') return groupOf(key, terms)
  const excluded = groupOf('or', terms)
  return excluded && { type: 'not', term: excluded }
}

function readTerm(raw: unknown): Term | null {
  if (!isObject(raw)) throw new Error('A term must be an object')
  if (isOperatorForm(raw)) return readLeaf(raw.field, raw.operator, raw.value)
  const terms = Object.entries(raw).map(([key, value]) =>
    isGroup(key) ? readGroup(key, value) : readLeaf(key, undefined, value),
  )
  return groupOf(
    'and',
    terms.filter((term) => term !== null),
  )
}

/** As lenient as the API. Throws an Error with words for the reader. */
export function fromJson(raw: unknown): Term | null {
  if (raw === undefined || raw === null) return null
  if (!isObject(raw)) throw new Error('Must be an object with "and", "or" or "not"')
  const other = Object.keys(raw).find((key) => !isGroup(key))
  if (other !== undefined) throw new Error(`Must contain "and", "or" or "not", not "${other}"`)
  return readTerm(raw)
}
