import { join, type Sql, sql } from '../../platform/db/sql.ts'
import type { Operator, Term, Value } from './search-tree.ts'

// A term becomes one jsonpath predicate where it can, so that a document is taken apart once per row. What the
// columns know better (timestamp, service) becomes plain SQL.

type Leaf = Extract<Term, { type: 'leaf' }>
type Part = { json: string } | { sql: Sql }

/** Public names of user events beside those of the specification: each finds both. */
const SAME_EVENT = [
  ['systemuser_create', 'user_create'],
  ['systemuser_update', 'user_update'],
  ['systemuser_delete', 'user_delete'],
]

const quote = (text: string): string => JSON.stringify(text)
const literal = (value: Value): string => (typeof value === 'string' ? quote(value) : String(value))

/** Halves, halves again: a chain of ten thousand would be too deep for the database. */
function balanced(parts: string[], operator: '&&' | '||'): string {
  if (parts.length === 1) return parts[0]!
  const middle = parts.length >> 1
  return `(${balanced(parts.slice(0, middle), operator)} ${operator} ${balanced(parts.slice(middle), operator)})`
}

/** No stored text has these (see ingest.ts), and the database refuses to look for them. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/**
 * Lax mode looks into lists by itself: any element may match. Null for a name that no document can have.
 */
export const pathOf = (field: string): string | null =>
  isStorable(field) ? `$.${field.split('.').map(quote).join('.')}` : null

/** The values that some document could have. */
const findable = ({ values }: Leaf): Value[] =>
  values.filter((value) => typeof value !== 'string' || isStorable(value))

const regexEscape = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

function comparison({ operator, values }: Leaf): string {
  const [value] = values as [Value]
  switch (operator) {
    case 'eq':
    case 'ne':
    case 'in':
    case 'not_in':
      return balanced(
        values.map((one) => `@ == ${literal(one)}`),
        '||',
      )
    case 'contains':
      return `@ like_regex ${quote(regexEscape(String(value)))}`
    case 'startsWith':
      return `@ starts with ${quote(String(value))}`
    case 'endsWith':
      return `@ like_regex ${quote(`${regexEscape(String(value))}$`)}`
    case 'lt':
      return `@ < ${literal(value)}`
    case 'lte':
      return `@ <= ${literal(value)}`
    case 'gt':
      return `@ > ${literal(value)}`
    case 'gte':
      return `@ >= ${literal(value)}`
    default:
      throw new Error(`${operator} is for timestamps`)
  }
}

export const isNegative = (operator: string): boolean => operator === 'ne' || operator === 'not_in'

/** The column holds the milliseconds of the document's timestamp. */
function timestampLeaf({ operator, values }: Leaf): Sql {
  const times = values.map((value) => new Date(value as number).toISOString())
  switch (operator) {
    case 'before':
      return sql`e.timestamp < ${times[0]}::timestamptz`
    case 'after':
      return sql`e.timestamp > ${times[0]}::timestamptz`
    case 'not_in':
      return sql`not (e.timestamp = any(${times}::timestamptz[]))`
    default:
      return sql`e.timestamp = any(${times}::timestamptz[])`
  }
}

/** Documents of some services do not name theirs. */
function serviceLeaf(leaf: Leaf, values: string[]): Sql {
  switch (leaf.operator) {
    case 'contains':
      return sql`strpos(e.service, ${values[0]}) > 0`
    case 'startsWith':
      return sql`starts_with(e.service, ${values[0]})`
    case 'endsWith':
      return sql`right(e.service, length(${values[0]})) = ${values[0]}`
    default: {
      const any = sql`e.service = any(${values}::text[])`
      return isNegative(leaf.operator) ? sql`not ${any}` : any
    }
  }
}

/** Longer texts would be too much for a regular expression of the database. */
const MAX_REGEX = 1000

/** The filter looks into one more list than its path says: two in all, as comparisons do. */
function longTextLeaf(path: string, operator: Operator, value: string): Sql {
  const strings = `${path}[*] ? (@.type() == "string")`
  const test =
    operator === 'contains'
      ? sql`strpos(found #>> '{}', ${value}) > 0`
      : sql`right(found #>> '{}', length(${value})) = ${value}`
  return sql`exists (select from jsonb_path_query(e.document::jsonb, ${strings}::jsonpath) as found where ${test})`
}

/** What an equal name is, for the operators that compare whole values. */
export const sameEvents = (value: Value): Value[] =>
  SAME_EVENT.find((names) => names.includes(String(value))) ?? [value]

function leafPart(leaf: Leaf): Part {
  if (leaf.field === 'timestamp') return { sql: timestampLeaf(leaf) }
  const negative = isNegative(leaf.operator)
  const found = findable(leaf)
  const path = pathOf(leaf.field)
  if (found.length === 0 || path === null) return { sql: negative ? sql`true` : sql`false` }
  if (leaf.field === 'service') return { sql: serviceLeaf(leaf, found.map(String)) }
  if (leaf.operator === 'contains' || leaf.operator === 'endsWith') {
    const text = String(found[0])
    if (text.length > MAX_REGEX) return { sql: longTextLeaf(path, leaf.operator, text) }
  }
  const whole = negative || leaf.operator === 'eq' || leaf.operator === 'in'
  const values = leaf.field === 'event_type' && whole ? found.flatMap(sameEvents) : found
  const exists = `exists(${path} ? (${comparison({ ...leaf, values })}))`
  return { json: negative ? `!(${exists})` : exists }
}

const toSql = (part: Part): Sql =>
  'sql' in part ? part.sql : sql`e.document::jsonb @@ ${part.json}::jsonpath`

function compile(term: Term): Part {
  if (term.type === 'leaf') return leafPart(term)
  if (term.type === 'not') {
    const part = compile(term.term)
    return 'json' in part ? { json: `!(${part.json})` } : { sql: sql`not (${part.sql})` }
  }
  const parts = term.terms.map(compile)
  if (parts.length === 0) return { sql: sql`true` }
  const jsons = parts.flatMap((part) => ('json' in part ? [part.json] : []))
  const others = parts.filter((part) => 'sql' in part)
  const merged: Part[] = [
    ...others,
    ...(jsons.length > 0 ? [{ json: balanced(jsons, term.type === 'and' ? '&&' : '||') }] : []),
  ]
  if (merged.length === 1) return merged[0]!
  return {
    sql: sql`(${join(
      merged.map((part) => sql`(${toSql(part)})`),
      term.type === 'and' ? ' and ' : ' or ',
    )})`,
  }
}

/**
 * Texts that must stand in a matching document, as JSON writes them: looking for them first spares taking most
 * documents apart. Only from what every match needs.
 */
function needles(term: Term): string[][] {
  if (term.type === 'and') return term.terms.flatMap(needles)
  if (term.type !== 'leaf' || !term.kinds.includes('string') || term.kinds.length > 1) return []
  if (isNegative(term.operator) || ['timestamp', 'service', 'event_type'].includes(term.field))
    return []
  const values = findable(term)
  if (values.length === 0 || values.length > 20) return []
  return [values.map((value) => quote(String(value)).slice(1, -1))]
}

/** The condition on a row `e` of events. */
export function searchCondition(term: Term | null): Sql {
  if (term === null) return sql`true`
  const first = needles(term).map(
    (texts) =>
      sql`(${join(
        texts.map((text) => sql`strpos(e.document, ${text}) > 0`),
        ' or ',
      )})`,
  )
  return join([...first, sql`(${toSql(compile(term))})`], ' and ')
}
