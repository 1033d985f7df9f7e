import { type CustomAttribute, type Filter, ListIndex } from './list-index.ts'
import type { Scalar } from './schema.ts'
import { fold, memberOf } from './values.ts'

// One grammar for reading and writing:
//
//   path    = [urn ":"] first *step       RFC 7644 §3.10: the URN of a schema before the attribute
//   first   = name | quoted
//   step    = "." name | quoted | "[" index "]" | "[" name " eq " literal "]"
//   quoted  = "[" string "]"              a name with any characters
//
// Strings are JSON strings. Names are matched exactly, literals as in values.ts.

/** A string is the name of a member, a number the index of an element. */
export type Segment = string | number | Filter | CustomAttribute
export type Path = readonly Segment[]

const MAX_SEGMENTS = 10

/** Up to the last colon before a bracket: the URN itself contains dots. */
const URN = /^(urn:[^[\]"]*[^[\]":]):(?=[^:.[\]"])/i
const STRING = String.raw`"(?:[^"\\]|\\.)*"`
const NAME = String.raw`[^\s.[\]"\p{Cc}](?:[^.[\]"\p{Cc}]*[^\s.[\]"\p{Cc}])?`
const STEP = new RegExp(
  // linear: sticky, and each step begins with a dot or a bracket
  String.raw`\.(?<name>${NAME})|\[(?:(?<index>\d{1,2})|(?<quoted>(?!"")${STRING})|(?<attribute>[\w$-]+) +eq +(?<literal>${STRING}|true|false|-?\d{1,15}(?:\.\d{1,15})?))\]`,
  'guy',
)

function segmentOf({ name, index, quoted, attribute, literal }: Record<string, string>): Segment {
  if (name !== undefined) return name
  if (index !== undefined) return Number(index)
  if (attribute === undefined) return JSON.parse(quoted!) as string
  const value = JSON.parse(literal!) as Scalar
  return { attribute, literal: value, folded: fold(value) }
}

/** Undefined if the text is not a path. */
export function parsePath(text: string): Path | undefined {
  const urn = URN.exec(text)
  const rest = text.slice(urn?.[0].length ?? 0)
  const steps = rest.startsWith('[') ? rest : `.${rest}`
  const matches = [...steps.matchAll(STEP)]
  if (matches.reduce((length, [match]) => length + match.length, 0) !== steps.length) return
  let path: Segment[]
  try {
    path = [...(urn ? [urn[1]!] : []), ...matches.map(({ groups }) => segmentOf(groups as never))]
  } catch {
    // A string with a bad escape.
    return
  }
  const [first, second, ...others] = path
  if (typeof first !== 'string' || path.length > MAX_SEGMENTS) return
  if (first === 'attributes' && typeof second === 'string')
    return [first, { custom: second }, ...others]
  return path
}

function step(value: unknown, segment: Segment, index: ListIndex): unknown {
  if (typeof segment === 'string') return memberOf(value, segment)
  if (!Array.isArray(value))
    return typeof segment === 'object' && 'custom' in segment
      ? memberOf(value, segment.custom)
      : undefined
  if (typeof segment === 'number') return value[segment]
  const element = value[index.at(value, segment)]
  return 'custom' in segment ? memberOf(element, 'value') : element
}

/** Many paths of one record share an index. */
export function readPath(path: Path, record: unknown, index = new ListIndex()): unknown {
  let value = record
  for (const segment of path) {
    if (value === undefined) return
    value = step(value, segment, index)
  }
  return value
}

/** The member or element of a new object; made when absent. */
function hold<T extends object>(holder: object, key: string | number, make: () => T): T {
  const slots = holder as Record<string | number, T>
  if (!Object.hasOwn(slots, key)) slots[key] = make()
  return slots[key]!
}

/**
 * Writes into a result, which only paths of one mapping have written: targets.ts has refused those that contradict each
 * other.
 */
export function writePath(
  path: Path,
  result: object,
  value: unknown,
  index = new ListIndex(),
): void {
  let holder: object = result
  let key = path[0] as string | number
  for (const segment of path.slice(1)) {
    if (typeof segment === 'string') {
      holder = hold(holder, key, () => ({}))
      key = segment
      continue
    }
    const list = hold<unknown[]>(holder, key, () => [])
    if (typeof segment === 'number') {
      holder = list
      key = segment
    } else if ('custom' in segment) {
      const at = index.place(list, segment, () => ({ name: segment.custom }))
      holder = list[at] as object
      key = 'value'
    } else {
      const { attribute, literal } = segment
      holder = list
      key = index.place(list, segment, () => ({ [attribute]: literal }))
    }
  }
  ;(holder as Record<string | number, unknown>)[key] = value
}

/** Rules without a value leave gaps in a list that is written by index. */
export function closeGaps(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  // filter() visits no gaps.
  if (Array.isArray(value)) value.splice(0, value.length, ...value.filter(() => true))
  for (const member of Object.values(value)) closeGaps(member)
}
