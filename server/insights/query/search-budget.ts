import { invalid } from '../../platform/errors.ts'
import { limits } from '../../platform/limits.ts'
import { LISTED_VALUE_UNITS, TEXT_SEARCH_UNITS } from '../schema.ts'
import type { Operator, Term } from './search-tree.ts'

// What one search may ask for, judged before anything runs. A leaf is compared with every event that is read, so the
// price of a search is the price of its leaves, whatever way events are stored.

const TEXT_SEARCHES: ReadonlySet<Operator> = new Set(['contains', 'startsWith', 'endsWith'])

const over = (reason: string, message: string) => invalid(reason, `search_term: ${message}`)

/** Counts while a term is read, so that reading itself stays within bounds. */
export class TermCounter {
  #leaves = 0
  #groups = 0

  leaf(): void {
    const { terms } = limits.events
    if (++this.#leaves > terms) throw over('too_many_terms', `at most ${terms} terms are allowed`)
  }

  group(depth: number): void {
    const most = limits.events
    if (++this.#groups > most.terms)
      throw over('too_many_terms', `at most ${most.terms} groups of terms are allowed`)
    if (depth > most.depth) throw over('too_deep', `terms may be nested ${most.depth} levels deep`)
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

export function checkBudget(term: Term): void {
  const { values, units } = priceOf(term)
  const most = limits.events
  if (values > most.values)
    throw over('too_many_values', `${values} values are more than the ${most.values} allowed`)
  if (units > most.units) {
    throw over(
      'search_too_costly',
      `costs ${Math.ceil(units)} units, more than the ${most.units} allowed: contains, startsWith and endsWith count ${TEXT_SEARCH_UNITS}, a value of a list ${LISTED_VALUE_UNITS}, any other term 1`,
    )
  }
}
