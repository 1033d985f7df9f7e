import { badRequest } from './errors.ts'
import { isObject, type Json } from './read.ts'
import { type Attribute, attributeOf, TYPES } from './schemas.ts'

// Filters: RFC 7644 §3.4.2.2.

type Scalar = string | number | boolean | null

interface Comparison {
  op: keyof typeof COMPARE
  path: Attribute[]
  value: Scalar
}
interface Presence {
  op: 'pr'
  path: Attribute[]
}
export type Filter =
  | Comparison
  | Presence
  | { op: 'and' | 'or'; left: Filter; right: Filter }
  | { op: 'not'; filter: Filter }
  /** `emails[type eq "work"]`: one value fulfils the whole filter. */
  | { op: 'some'; path: Attribute[]; filter: Filter }

const COMPARE = {
  eq: (a: Scalar, b: Scalar) => a === b,
  co: (a: Scalar, b: Scalar) => String(a).includes(String(b)),
  sw: (a: Scalar, b: Scalar) => String(a).startsWith(String(b)),
  ew: (a: Scalar, b: Scalar) => String(a).endsWith(String(b)),
  gt: (a: Scalar, b: Scalar) => a !== null && b !== null && a > b,
  ge: (a: Scalar, b: Scalar) => a !== null && b !== null && a >= b,
  lt: (a: Scalar, b: Scalar) => a !== null && b !== null && a < b,
  le: (a: Scalar, b: Scalar) => a !== null && b !== null && a <= b,
}

const isOperator = (word: string): word is Comparison['op'] => Object.hasOwn(COMPARE, word)

const MAX_LENGTH = 2000
const TOKEN = /\s*([()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+)/y

const CORE = Object.values(TYPES).map(({ schema }) => `${schema}:`.toLowerCase())

/** `userName`, `name.familyName`, or either after the URN of its schema; undefined if there is no such attribute. */
export function resolvePath(attributes: Attribute[], text: string): Attribute[] | undefined {
  const lower = text.toLowerCase()
  const prefix = CORE.find((urn) => lower.startsWith(urn))
  if (prefix) return resolvePath(attributes, text.slice(prefix.length))
  const whole = attributeOf(attributes, text)
  if (whole) return [whole]
  // The name of an extension contains dots, and a colon separates it from its attributes.
  const extension = attributes.find(({ name }) => lower.startsWith(`${name.toLowerCase()}:`))
  const end = extension ? extension.name.length : text.indexOf('.')
  if (end < 1) return undefined
  const first = extension ?? attributeOf(attributes, text.slice(0, end))
  const rest = first?.subAttributes && resolvePath(first.subAttributes, text.slice(end + 1))
  return rest && [first!, ...rest]
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text)
    if (!found) throw badRequest('invalidFilter', 'The filter cannot be parsed')
    tokens.push(found[1]!)
  }
  return tokens
}

/** The attributes are those of a resource, or the sub-attributes of the value that a PATCH path selects. */
export function parseFilter(text: string, attributes: Attribute[]): Filter {
  const wrong = (what: string) => badRequest('invalidFilter', `${what} in the filter`)
  if (text.length > MAX_LENGTH) throw wrong(`More than ${MAX_LENGTH} characters`)
  const tokens = tokensOf(text)
  let at = 0
  const next = () => tokens[at++] ?? ''
  const word = () => tokens[at]?.toLowerCase()
  const expect = (token: string) => {
    if (next() !== token) throw wrong(`A missing ${token}`)
  }

  function chain(op: 'and' | 'or', operand: () => Filter): Filter {
    let left = operand()
    while (word() === op) {
      at++
      left = { op, left, right: operand() }
    }
    return left
  }
  function grouped(open: string, close: string, inner: Attribute[]): Filter {
    expect(open)
    const outer = attributes
    attributes = inner
    const filter = either()
    attributes = outer
    expect(close)
    return filter
  }
  function literal(): Scalar {
    const token = next()
    try {
      const value: unknown = JSON.parse(token)
      if (!isObject(value) && !Array.isArray(value)) return value as Scalar
    } catch {}
    throw wrong(`${token || 'No value'} where a JSON value must be`)
  }
  function term(): Filter {
    if (word() === 'not') {
      at++
      return { op: 'not', filter: grouped('(', ')', attributes) }
    }
    if (word() === '(') return grouped('(', ')', attributes)
    const name = next()
    const path = resolvePath(attributes, name)
    if (!path) throw wrong(`Unknown attribute ${name}`)
    const { subAttributes } = path.at(-1)!
    if (word() === '[') return { op: 'some', path, filter: grouped('[', ']', subAttributes ?? []) }
    const op = next().toLowerCase()
    if (op === 'pr') return { op, path }
    const compare = op === 'ne' ? 'eq' : op
    if (!isOperator(compare)) throw wrong(`Unknown operator ${op}`)
    // `emails eq "x"` means emails.value.
    const implied = subAttributes && attributeOf(subAttributes, 'value')
    const filter: Filter = {
      op: compare,
      path: implied ? [...path, implied] : path,
      value: literal(),
    }
    return op === 'ne' ? { op: 'not', filter } : filter
  }
  const both = () => chain('and', term)
  const either = (): Filter => chain('or', both)

  const filter = either()
  if (at < tokens.length) throw wrong(`Unexpected ${tokens[at]}`)
  return filter
}

export const fold = ({ caseExact }: Attribute, value: unknown): Scalar =>
  typeof value === 'string' && !caseExact ? value.toLowerCase() : (value as Scalar)

/** All values at the end of the path: each step may have several. */
const valuesAt = (object: Json, path: Attribute[]): unknown[] =>
  path.reduce<unknown[]>(
    (values, { name }) =>
      values.flatMap((value) => (isObject(value) && value[name] !== undefined ? value[name] : [])),
    [object],
  )

export function matches(filter: Filter, object: Json): boolean {
  switch (filter.op) {
    case 'and':
      return matches(filter.left, object) && matches(filter.right, object)
    case 'or':
      return matches(filter.left, object) || matches(filter.right, object)
    case 'not':
      return !matches(filter.filter, object)
    case 'some':
      return valuesAt(object, filter.path).some(
        (value) => isObject(value) && matches(filter.filter, value),
      )
    case 'pr':
      return valuesAt(object, filter.path).length > 0
    default: {
      const attribute = filter.path.at(-1)!
      const wanted = fold(attribute, filter.value)
      return valuesAt(object, filter.path).some((value) =>
        COMPARE[filter.op](fold(attribute, value), wanted),
      )
    }
  }
}

/** The `eq` terms that every match fulfils. */
export function equalities(filter: Filter): Comparison[] {
  if (filter.op === 'and') return [...equalities(filter.left), ...equalities(filter.right)]
  return filter.op === 'eq' ? [filter] : []
}

/** All comparisons in the filter. */
export function terms(filter: Filter): (Comparison | Presence)[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return [...terms(filter.left), ...terms(filter.right)]
    case 'not':
    case 'some':
      return terms(filter.filter)
    default:
      return [filter]
  }
}
