import { join, type Sql, sql } from '../platform/sql.ts'
import type { Term, Value } from './search-term.ts'

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

/** Lax mode looks into lists by itself: any element may match. */
const pathOf = (field: string): string => `$.${field.split('.').map(quote).join('.')}`

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

const isNegative = (operator: string): boolean => operator === 'ne' || operator === 'not_in'

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
function serviceLeaf(leaf: Leaf): Sql {
  const values = leaf.values.map(String)
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

function leafPart(leaf: Leaf): Part {
  if (leaf.field === 'timestamp') return { sql: timestampLeaf(leaf) }
  if (leaf.field === 'service') return { sql: serviceLeaf(leaf) }
  const values =
    leaf.field === 'event_type'
      ? leaf.values.flatMap(
          (value) => SAME_EVENT.find((names) => names.includes(String(value))) ?? value,
        )
      : leaf.values
  const exists = `exists(${pathOf(leaf.field)} ? (${comparison({ ...leaf, values })}))`
  return { json: isNegative(leaf.operator) ? `!(${exists})` : exists }
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
  if (term.values.length > 20) return []
  return [term.values.map((value) => quote(String(value)).slice(1, -1))]
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
