import { type Sql, sql } from '../db/sql.ts'
import { invalid } from '../errors.ts'
import type { ListLimits } from '../limits.ts'
import { all, any, compare, type Operator, type Resource } from './conditions.ts'
import { quoted, tooMany } from './limits.ts'

// Parses one comparison of a filter, in each notation.

type Operators = ReadonlyMap<string, Operator>

const SIMPLE: [string, Operator][] = [
  ['$eq', 'eq'],
  ['$ne', 'ne'],
  ['$gt', 'gt'],
  ['$gte', 'gte'],
  ['$lt', 'lt'],
  ['$lte', 'lte'],
]
const OPERATORS_V1: Operators = new Map(SIMPLE)
const OPERATORS_BODY: Operators = new Map([...SIMPLE, ['$in', 'in'], ['$regex', 'regex']])
const OPERATORS_V2: Operators = new Map([
  ['eq', 'eq'],
  ['ne', 'ne'],
  ['gt', 'gt'],
  ['ge', 'gte'],
  ['gte', 'gte'],
  ['lt', 'lt'],
  ['le', 'lte'],
  ['lte', 'lte'],
  ['between', 'between'],
  ['search', 'contains'],
  ['co', 'contains'],
  ['nco', 'contains'],
  ['in', 'in'],
])

function operatorOf(operators: Operators, operator: string, where: string): Operator {
  const known = operators.get(operator)
  if (!known) {
    throw invalid(
      'unknown_operator',
      `filter: unknown operator "${quoted(operator)}" (in ${quoted(where)}); must be one of ${[...operators.keys()].join(', ')}`,
    )
  }
  return known
}

/** field:op:value; only the first two colons separate, since dates contain colons too. */
function expression(text: string): [string, string, string] {
  const first = text.indexOf(':')
  const second = text.indexOf(':', first + 1)
  if (first < 1 || second < 0)
    throw invalid('bad_filter', `filter: "${quoted(text)}" must have the form field:operator:value`)
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)]
}

export function filterV1(resource: Resource, text: string, max: ListLimits): Sql {
  const [name, operator, value] = expression(text)
  return compare(resource, name, operatorOf(OPERATORS_V1, operator, text), value, max)
}

/** Negation that also matches rows without a value. */
const opposite = (condition: Sql): Sql => sql`not coalesce(${condition}, false)`

export function filterV2(resource: Resource, text: string, max: ListLimits): Sql {
  const [name, written, value] = expression(text)
  const compared = (operator: Operator, operand: unknown) =>
    compare(resource, name, operator, operand, max)
  // v1 clients send $eq here by mistake; some send operators in upper case.
  const word = written.replace(/^\$/, '').toLowerCase()
  const operator = operatorOf(OPERATORS_V2, word, text)
  if (word === 'nco') return opposite(compared(operator, value))
  if (operator === 'in' || operator === 'between') return compared(operator, value.split('|'))
  if (operator === 'eq' && value.includes('*')) return compared('like', value)
  if (operator === 'ne' && value.includes('*')) return opposite(compared('like', value))
  return compared(operator, value)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses the filter of a search body, counting its comparisons. */
export function filterBody(resource: Resource, whole: unknown, max: ListLimits): Sql {
  let comparisons = 0
  const count = () => {
    if (++comparisons > max.comparisons) throw tooMany(max.comparisons, 'filter', 'comparisons')
  }
  /** Empty groups count as a comparison, or their number would be unlimited. */
  function each<T>(items: T[], read: (item: T) => Sql): Sql[] {
    if (items.length === 0) count()
    return items.map(read)
  }

  function read(filter: unknown, depth: number): Sql {
    if (depth > max.depth)
      throw invalid('filter_too_deep', `filter: nested deeper than ${max.depth} levels`)
    if (typeof filter === 'string') {
      count()
      return filterV1(resource, filter, max)
    }
    const deeper = (part: unknown) => read(part, depth + 1)
    if (Array.isArray(filter)) return all(each(filter, deeper))
    if (!isObject(filter))
      throw invalid('bad_filter', 'filter: must be an object, an array or a string')
    const members = each(Object.entries(filter), ([key, value]) => {
      if (!['and', 'or', '$and', '$or'].includes(key)) return comparisonsOf(key, value)
      if (!Array.isArray(value)) throw invalid('bad_filter', `filter: ${key} must be an array`)
      return (key.endsWith('and') ? all : any)(each(value, deeper))
    })
    return all(members)
  }

  function comparisonsOf(name: string, value: unknown): Sql {
    const compared = (operator: Operator, operand: unknown) => {
      count()
      return compare(resource, name, operator, operand, max)
    }
    if (Array.isArray(value)) return compared('in', value)
    if (!isObject(value)) return compared('eq', value)
    const operations = each(Object.entries(value), ([written, operand]) => {
      const operator = operatorOf(OPERATORS_BODY, written, name)
      const single = operator === 'in' && !Array.isArray(operand)
      return compared(operator, single ? [operand] : operand)
    })
    return all(operations)
  }

  return read(whole, 0)
}
