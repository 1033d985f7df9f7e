import { invalid } from '../../platform/errors.ts'
import type { EventLimits } from '../../platform/limits.ts'
import { foldText } from '../document.ts'
import { type FieldKind, isSearchable, kindsOf } from '../fields.ts'
import { isScalar, type Scalar, shown } from '../scalars.ts'
import { SERVICES, type Service, serviceOf } from '../services.ts'
import { parseTime } from '../times.ts'
import { checkBudget, TermCounter } from './search-budget.ts'
import { type LeafKind, OPERATORS, type Operator, type Term, type Value } from './search-tree.ts'

// Parses search terms into a small tree. Pure: the SQL is generated from the tree elsewhere.

const ALL_OPERATORS = new Set<string>(Object.values(OPERATORS).flat())
const isLeafKind = (kind: FieldKind): kind is LeafKind => Object.hasOwn(OPERATORS, kind)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const bad = (reason: string, message: string) => invalid(reason, `search_term: ${message}`)

/** A JSON boolean or a string: the specification allows both. */
const isBoolean = (value: Scalar): boolean => /^(true|false)$/i.test(String(value))

/**
 * The kinds a field is compared as, from the lists of the requested services. If they lack it, from the lists of all
 * services and the values sent.
 */
function leafKinds(
  services: readonly Service[],
  field: string,
  values: readonly Scalar[],
): LeafKind[] {
  const listed = [...kindsOf(services, field)].filter(isLeafKind)
  if (listed.length > 0) return listed
  const kinds = new Set([...kindsOf(SERVICES, field)].filter(isLeafKind))
  if (values.some((value) => typeof value === 'number')) kinds.add('number')
  if (values.some(isBoolean)) kinds.add('boolean')
  return [...kinds.add('string')]
}

/** `{field, operator, value}`; the operator is optional, and other members are ignored. */
const isOperatorForm = (raw: Record<string, unknown>): boolean => {
  const names = Object.keys(raw)
  const known = names.filter((name) => ['field', 'operator', 'value'].includes(name))
  return ('field' in raw && 'value' in raw) || (known.length > 1 && known.length === names.length)
}

/** Service names accept the same aliases as the list of services. */
const readText = (field: string, text: string): string =>
  (field === 'service' ? serviceOf(text) : undefined) ?? foldText(text)

/** The value as each kind parses it; kinds that cannot are skipped. */
function readValue(field: string, kinds: LeafKind[], raw: Scalar): Value[] {
  const values: Value[] = []
  for (const kind of kinds) {
    if (kind === 'string') values.push(readText(field, String(raw)))
    else if (kind === 'boolean') {
      const word = String(raw).toLowerCase()
      if (word === 'true' || word === 'false') values.push(word === 'true')
    } else if (kind === 'number') {
      const number = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw
      if (typeof number === 'number' && Number.isFinite(number)) values.push(number)
    } else {
      const time = parseTime(raw)
      if (time !== null) values.push(time)
    }
  }
  if (values.length === 0) {
    throw bad(
      'bad_value',
      `${shown(raw)} is not a valid value for ${field}, which is a ${kinds.join(' or ')}`,
    )
  }
  return values
}

/** The distinct values as sent. */
function readList(field: string, value: unknown, { valueLength }: EventLimits): Scalar[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (!list.every(isScalar)) {
    throw bad(
      'bad_value',
      `the value of ${field} must be a string, number, boolean or a list of them`,
    )
  }
  if (list.some((one) => typeof one === 'string' && one.length > valueLength))
    throw bad('value_too_long', `a value for ${field} is longer than ${valueLength} characters`)
  return [...new Set(list)]
}

function readOperator(operator: unknown, value: unknown): string {
  const chosen = operator ?? (Array.isArray(value) ? 'in' : 'eq')
  if (typeof chosen === 'string' && ALL_OPERATORS.has(chosen)) return chosen
  throw bad(
    'unknown_operator',
    `unknown operator ${shown(chosen)}; must be one of ${[...ALL_OPERATORS].join(', ')}`,
  )
}

function checkField(field: string, { fieldLength }: EventLimits): void {
  if (field === '') throw bad('bad_field', 'a field must have a name')
  if (field.length > fieldLength)
    throw bad('bad_field', `a field name may have at most ${fieldLength} characters`)
  if (!isSearchable(field)) throw bad('unsearchable_field', `the field ${field} cannot be searched`)
}

/** Duplicates are dropped; a list of one is that one. */
function listOf(type: 'and' | 'or', terms: Term[]): Term {
  const unequal = [...new Map(terms.map((term) => [keyOf(term), term])).values()]
  return unequal.length === 1 ? unequal[0]! : { type, terms: unequal }
}
/** Only leaves are compared: larger terms are rarely equal, and would be serialized once per level. */
const keyOf = (term: Term): unknown =>
  term.type === 'leaf' ? JSON.stringify([term.field, term.operator, term.values]) : term

class Reader {
  readonly #services: readonly Service[]
  readonly #max: EventLimits
  readonly #counter: TermCounter

  constructor(services: readonly Service[], max: EventLimits) {
    this.#services = services
    this.#max = max
    this.#counter = new TermCounter(max)
  }

  leaf(field: string, operator: unknown, value: unknown): Term {
    this.#counter.leaf()
    checkField(field, this.#max)
    const chosen = readOperator(operator, value)
    const list = readList(field, value, this.#max)
    const known = leafKinds(this.#services, field, list)
    const kinds = known.filter((kind) => (OPERATORS[kind] as readonly string[]).includes(chosen))
    if (kinds.length === 0) {
      const allowed = [...new Set(known.flatMap((kind) => OPERATORS[kind]))].join(', ')
      throw bad(
        'operator_not_allowed',
        `${chosen} is not allowed for ${field}, which is a ${known.join(' or ')}; allowed are ${allowed}`,
      )
    }
    const several = chosen === 'in' || chosen === 'not_in'
    if (Array.isArray(value) && !several)
      throw bad('bad_value', `${chosen} for ${field} takes one value, not a list`)
    const values = [...new Set(list.flatMap((one) => readValue(field, kinds, one)))]
    return { type: 'leaf', field, kinds, operator: chosen as Operator, values }
  }

  /** `{field, operator, value}`, or a map of fields, or a nested and/or/not. */
  term(raw: unknown, depth: number, seen: Set<string>): Term {
    if (!isObject(raw)) throw bad('bad_term', 'a term must be an object')
    if (isOperatorForm(raw)) {
      const { field, operator, value } = raw
      if (typeof field !== 'string')
        throw bad('bad_field', 'a term with operator and value requires a field')
      if (value === undefined) throw bad('bad_value', `the term for ${field} requires a value`)
      return this.leaf(field, operator, value)
    }
    const terms = Object.entries(raw).map(([key, value]) => {
      if (key === 'and' || key === 'or' || key === 'not') return this.group(key, value, depth + 1)
      this.#once(key, seen)
      return this.leaf(key, undefined, value)
    })
    if (terms.length === 0) throw bad('bad_term', 'a term must name a field')
    return listOf('and', terms)
  }

  /** As specified, a field may not repeat inside one list; in operator form it may, as in a range. */
  #once(field: string, seen: Set<string>): void {
    if (seen.has(field)) throw bad('repeated_field', `the field ${field} is repeated in one list`)
    seen.add(field)
  }

  /** `and`, `or` and `not` contain a list of terms or, from older clients, a map of fields. */
  group(key: 'and' | 'or' | 'not', raw: unknown, depth: number): Term {
    this.#counter.group(depth)
    const seen = new Set<string>()
    let terms: Term[]
    if (Array.isArray(raw)) terms = raw.map((term) => this.term(term, depth, seen))
    else if (isObject(raw) && isOperatorForm(raw)) terms = [this.term(raw, depth, seen)]
    else if (isObject(raw)) {
      terms = Object.entries(raw).map(([name, value]) => this.term({ [name]: value }, depth, seen))
    } else throw bad('bad_term', `${key} must be a list of terms`)
    // An empty group adds no condition.
    if (key !== 'not' || terms.length === 0) return listOf(key === 'or' ? 'or' : 'and', terms)
    // Excludes events that match any of them.
    return { type: 'not', term: listOf('or', terms) }
  }
}

/** Null for an empty term. */
export function readSearchTerm(
  raw: unknown,
  services: readonly Service[],
  max: EventLimits,
): Term | null {
  if (raw === undefined || raw === null) return null
  if (!isObject(raw)) throw bad('bad_term', 'must be an object with "and", "or" or "not"')
  const keys = Object.keys(raw).filter((key) => raw[key] !== null)
  if (keys.length === 0) return null
  const groups = keys.filter((key): key is 'and' | 'or' | 'not' =>
    ['and', 'or', 'not'].includes(key),
  )
  if (groups.length !== keys.length) {
    throw bad(
      'bad_term',
      `must contain "and", "or" or "not"; unknown member ${keys.find((key) => !['and', 'or', 'not'].includes(key))}`,
    )
  }
  const reader = new Reader(services, max)
  const term = listOf(
    'and',
    groups.map((key) => reader.group(key, raw[key], 1)),
  )
  checkBudget(term, max)
  return term
}
