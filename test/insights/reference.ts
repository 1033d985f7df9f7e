import type { Term, Value } from '../../server/insights/query/search-tree.ts'
import { numberText } from '../../server/insights/segments/distinct.ts'

// A reference implementation of search terms and of what is counted. The service must agree with it.

export interface StoredDocument {
  service: string
  /** Milliseconds. */
  timestamp: number
  document: Record<string, unknown>
}

/** The members of this name; descends into lists. */
const step = (values: unknown[], name: string): unknown[] =>
  values
    .flat(1)
    .flatMap((value) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? [(value as Record<string, unknown>)[name]]
        : [],
    )

/** At the end of the path, descends into nested lists as well. */
function valuesAt({ service, timestamp, document }: StoredDocument, field: string): unknown[] {
  if (field === 'service') return [service]
  if (field === 'timestamp') return [timestamp]
  return field
    .split('.')
    .reduce<unknown[]>(step, [[document]])
    .flat(2)
}

const oneName = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.replace(/^systemuser_(create|update|delete)$/, 'user_$1')
    : value

const text = (test: (found: string, sought: string) => boolean) => (found: unknown, value: Value) =>
  typeof found === 'string' && String(value).isWellFormed() && test(found, String(value))
const number =
  (test: (found: number, sought: number) => boolean) => (found: unknown, value: Value) =>
    typeof found === 'number' && test(found, value as number)

const MATCHES: Record<string, (found: unknown, value: Value) => boolean> = {
  contains: text((found, sought) => found.includes(sought)),
  startsWith: text((found, sought) => found.startsWith(sought)),
  endsWith: text((found, sought) => found.endsWith(sought)),
  lt: number((found, sought) => found < sought),
  lte: number((found, sought) => found <= sought),
  gt: number((found, sought) => found > sought),
  gte: number((found, sought) => found >= sought),
  before: number((found, sought) => found < sought),
  after: number((found, sought) => found > sought),
}

export function matches(term: Term, event: StoredDocument): boolean {
  switch (term.type) {
    case 'not':
      return !matches(term.term, event)
    case 'and':
      return term.terms.every((one) => matches(one, event))
    case 'or':
      // An empty group has no effect.
      return term.terms.length === 0 || term.terms.some((one) => matches(one, event))
    case 'leaf': {
      const { field, operator, values } = term
      const name = field === 'event_type' ? oneName : (value: unknown) => value
      const test =
        MATCHES[operator] ?? ((found: unknown, value: Value) => name(found) === name(value))
      const found = valuesAt(event, field)
      const any = values.some((value) => found.some((one) => test(one, value)))
      return operator === 'ne' || operator === 'not_in' ? !any : any
    }
  }
}

/** How many events have each value. The elements of a list are values, but not those of a list in it. */
export function distinctOf(
  events: readonly StoredDocument[],
  field: string,
): Record<string, number> {
  const counts: Record<string, number> = Object.create(null)
  for (const { service, document } of events) {
    const values = field.split('.').reduce<unknown[]>(step, [document])
    for (const value of new Set(field === 'service' ? [service] : values.flat(1)))
      if (value !== null && typeof value !== 'object') {
        const key = typeof value === 'number' ? numberText(value) : String(value)
        counts[key] = (counts[key] ?? 0) + 1
      }
  }
  return counts
}

/** Events per step, with the empty steps in between. A step is in milliseconds; weeks start on Monday. */
export function stepsOf(
  events: readonly StoredDocument[],
  width: number,
  offset: number,
): { key: number; doc_count: number }[] {
  const monday = Date.UTC(1970, 0, 5) - offset
  const startOf = (time: number) => time - ((((time - monday) % width) + width) % width)
  const starts = events.map(({ timestamp }) => startOf(timestamp)).sort((a, b) => a - b)
  const steps: { key: number; doc_count: number }[] = []
  for (let key = starts[0] ?? 0; key <= (starts.at(-1) ?? -1); key += width)
    steps.push({ key, doc_count: starts.filter((start) => start === key).length })
  return steps
}
