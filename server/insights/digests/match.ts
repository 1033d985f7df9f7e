import { isNegative, isStorable, sameEvents } from '../query/search-sql.ts'
import type { Term } from '../query/search-tree.ts'
import { END, readPlaces, START } from './digest.ts'

// What digests can tell about a term. They may keep events that do not match, for a number is listed like the text
// of its digits, but never drop one that does.

type Leaf = Extract<Term, { type: 'leaf' }>

/** More would take longer to look for than the events they spare. */
const MAX_NEEDLES = 50

/** The values that are asked for as a whole; null for another kind of question. */
export function wholesOf({ field, operator, values }: Leaf): string[] | null {
  if (operator !== 'eq' && operator !== 'in') return null
  const texts = values.map(String).filter(isStorable)
  return field === 'event_type' ? texts.flatMap(sameEvents).map(String) : texts
}

/** The texts of which one must stand in the list of the field; null where lists cannot help. */
export function needlesOf(leaf: Leaf): string[] | null {
  const { field, operator, values } = leaf
  if (field === 'timestamp' || isNegative(operator) || !isStorable(field)) return null
  if (values.length > MAX_NEEDLES) return null
  const texts = values.map(String).filter(isStorable)
  switch (operator) {
    case 'eq':
    case 'in':
      return wholesOf(leaf)!.map((text) => START + text + END)
    case 'contains':
      return texts
    case 'startsWith':
      return texts.map((text) => START + text)
    case 'endsWith':
      return texts.map((text) => text + END)
    default:
      return null
  }
}

/** The fields whose lists are needed to judge a term. */
export function fieldsOf(term: Term): string[] {
  if (term.type === 'not') return []
  if (term.type === 'leaf') return needlesOf(term) === null ? [] : [term.field]
  return term.terms.flatMap(fieldsOf)
}

/** The places of events whose value has the text. */
function placesOf(list: string, needle: string, places: Set<number>): void {
  for (let at = list.indexOf(needle); at >= 0; ) {
    const end = list.indexOf(END, at)
    // In the places after the last value.
    if (end < 0) return
    const next = list.indexOf(START, end)
    for (const place of readPlaces(list.slice(end + 1, next))) places.add(place)
    at = list.indexOf(needle, next)
  }
}

/** The places that can match a term; null: all of them. Of a field without a list no event has a value. */
export function matchingPlaces(
  term: Term,
  lists: ReadonlyMap<string, string | null>,
): Set<number> | null {
  if (term.type === 'not') return null
  if (term.type === 'leaf') {
    const needles = needlesOf(term)
    const list = lists.get(term.field)
    if (needles === null || list === null) return null
    const places = new Set<number>()
    if (list !== undefined) for (const needle of needles) placesOf(list, needle, places)
    return places
  }
  const parts = term.terms.map((part) => matchingPlaces(part, lists))
  const known = parts.filter((places) => places !== null)
  if (known.length === 0 || (term.type === 'or' && known.length < parts.length)) return null
  if (term.type === 'or') return new Set(known.flatMap((places) => [...places]))
  const [first, ...others] = known
  return new Set([...first!].filter((place) => others.every((places) => places.has(place))))
}
