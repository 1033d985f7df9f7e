import { hash } from 'node:crypto'
import { isSearchable } from '../fields.ts'

// A digest lists the values of some hundred consecutive events, field by field, and which of the events have each
// (decision 0005).

/** Fewer make more digests to look through, more make longer lists to read. */
export const DIGEST_EVENTS = 512
/** Two of 32 characters number an event. */
const MAX_EVENTS = 32 * 32
/** Documents with names of their own making could have any number. */
const MAX_FIELDS = 400
const MAX_LIST = 64 * 1024

/** A list is, again and again: START, a value, END, the places of the events that have it; and START at last. */
export const START = '\u001f'
export const END = '\u001e'

/** From @ to _, capitals for the most part: no folded value has them, so a search for one rarely stumbles here. */
const placeText = (place: number): string =>
  String.fromCharCode(64 + (place >> 5), 64 + (place & 31))

export function readPlaces(text: string): number[] {
  const places: number[] = []
  for (let at = 0; at < text.length; at += 2)
    places.push(((text.charCodeAt(at) - 64) << 5) + text.charCodeAt(at + 1) - 64)
  return places
}

/** The list under this name has the times of the events, in milliseconds after the digest's begin. */
export const TIMES = ''
const TIME_LENGTH = 8
const timeText = (offset: number): string => offset.toString(36).padStart(TIME_LENGTH, '0')
export const timeAt = (times: string, place: number): number =>
  Number.parseInt(times.slice(place * TIME_LENGTH, (place + 1) * TIME_LENGTH), 36)
export const eventsIn = (times: string): number => times.length / TIME_LENGTH

/** For a value as a whole: rarely that of another one, and never two for one. */
export const markOf = (value: string): string => hash('sha1', value, 'base64').slice(0, 4)

/** The values of a field, and their marks. */
interface DigestList {
  list: string
  marks: string
}

export interface Digest {
  from: number
  until: number
  events: number
  /** By field, and the times; null instead of a list that would be too long. None when there were too many. */
  lists: Map<string, DigestList | null> | null
}

export interface DigestedEvent {
  timestamp: number
  service: string
  document: string
}

/** Field, value, places as text. */
type Found = Map<string, Map<string, string>>

/** Every scalar below a name, through lists of any depth; more than a search looks at does no harm. */
function collect(value: unknown, path: string, place: string, found: Found): void {
  if (value === null || value === undefined) return
  if (Array.isArray(value)) {
    for (const element of value) collect(element, path, place, found)
  } else if (typeof value === 'object') {
    for (const name in value)
      collect((value as Record<string, unknown>)[name], `${path}.${name}`, place, found)
  } else {
    let values = found.get(path)
    if (!values) {
      values = new Map()
      found.set(path, values)
    }
    const text = String(value)
    const places = values.get(text)
    if (places === undefined) values.set(text, place)
    else if (!places.endsWith(place)) values.set(text, places + place)
  }
}

/** Null when a value holds what stands between values: it could not be told apart. */
function listOf(values: Map<string, string>): DigestList | null {
  let list = ''
  let marks = ''
  for (const [value, places] of values) {
    if (value.includes(START) || value.includes(END)) return null
    list += START + value + END + places
    marks += markOf(value)
    if (list.length > MAX_LIST) return null
  }
  return { list: list + START, marks }
}

function digestOf(events: DigestedEvent[], from: number, until: number): Digest {
  const unlisted = { from, until, events: events.length, lists: null }
  if (events.length > MAX_EVENTS) return unlisted
  const found: Found = new Map()
  for (const [at, { service, document }] of events.entries()) {
    const place = placeText(at)
    const members = JSON.parse(document) as Record<string, unknown>
    // A member without a name would take the place of the times; such a name cannot be searched for.
    for (const name in members)
      if (isSearchable(name) && name !== 'timestamp' && name !== TIMES)
        collect(members[name], name, place, found)
    // Documents of some services do not name theirs.
    collect(service, 'service', place, found)
  }
  if (found.size > MAX_FIELDS) return unlisted
  const lists = new Map([...found].map(([field, values]) => [field, listOf(values)]))
  const times = events.map(({ timestamp }) => timeText(timestamp - from)).join('')
  lists.set(TIMES, { list: times, marks: '' })
  return { ...unlisted, lists }
}

/**
 * Consecutive events as digests that follow each other from `from` to `until` without a gap. Events of one
 * millisecond stay together.
 */
export function digestsOf(
  events: DigestedEvent[],
  from: number,
  until: number,
  size: number,
): Digest[] {
  const digests: Digest[] = []
  let start = 0
  let begin = from
  for (let at = size; at < events.length; at++) {
    const { timestamp } = events[at]!
    // What is left over joins the last one, so that an event that came late does not split it.
    const enough = at - start >= size && events.length - at >= size / 2
    if (!enough || timestamp === events[at - 1]!.timestamp) continue
    digests.push(digestOf(events.slice(start, at), begin, timestamp))
    start = at
    begin = timestamp
  }
  digests.push(digestOf(events.slice(start), begin, until))
  return digests
}
