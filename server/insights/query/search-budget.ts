import { invalid } from '../../platform/errors.ts'
import type { EventLimits } from '../../platform/limits.ts'
import { LISTED_VALUE_UNITS, TEXT_SEARCH_UNITS } from '../schema.ts'
import type { Operator, Term } from './search-tree.ts'

// The cost of a search, checked before anything runs. Each leaf is compared with every event read, so the cost is the
// sum of its leaves, however events are stored.

const TEXT_SEARCHES: ReadonlySet<Operator> = new Set(['contains', 'startsWith', 'endsWith'])

const over = (reason: string, message: string) => invalid(reason, `search_term: ${message}`)

/** Counts during parsing, so that parsing itself is bounded. */
export class TermCounter {
  readonly #max: EventLimits
  #leaves = 0
  #groups = 0

  constructor(max: EventLimits) {
    this.#max = max
  }

  leaf(): void {
    const { terms } = this.#max
    if (++this.#leaves > terms) throw over('too_many_terms', `at most ${terms} terms are allowed`)
  }

  group(depth: number): void {
    const max = this.#max
    if (++this.#groups > max.terms)
      throw over('too_many_terms', `at most ${max.terms} groups of terms are allowed`)
    if (depth > max.depth)
      throw over('too_deep', `terms may be nested at most ${max.depth} levels deep`)
  }
}

interface Price {
  values: number
  units: number
}

function priceOf(term: Term): Price {
  if (term.type === 'not') return priceOf(term.term)
  if (term.type === 'leaf') {
    const values = term.values.length
    const units = TEXT_SEARCHES.has(term.operator) ? TEXT_SEARCH_UNITS : 1
    return { values, units: units + (values - 1) * LISTED_VALUE_UNITS }
  }
  const total = { values: 0, units: 0 }
  for (const part of term.terms) {
    const { values, units } = priceOf(part)
    total.values += values
    total.units += units
  }
  return total
}

export function checkBudget(term: Term, max: EventLimits): void {
  const { values, units } = priceOf(term)
  if (values > max.values)
    throw over('too_many_values', `${values} values exceed the limit of ${max.values}`)
  if (units > max.units) {
    throw over(
      'search_too_costly',
      `costs ${Math.ceil(units)} units, over the limit of ${max.units}: contains, startsWith and endsWith count ${TEXT_SEARCH_UNITS}, a value in a list ${LISTED_VALUE_UNITS}, any other term 1`,
    )
  }
}
