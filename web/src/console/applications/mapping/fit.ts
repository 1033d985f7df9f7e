import type { Mapping } from './rules.ts'

// A mapping made for any source guesses many names for each field; of one source that is known, few are left.

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** `emails[primary eq true].value` is there if `emails[0].value` is. */
const headOf = (path: string) => path.replace(/\[.*$/s, '[')

const knows = (members: readonly string[]) => {
  const heads = new Set(members.map(headOf))
  return (path: unknown) => members.includes(String(path)) || heads.has(headOf(String(path)))
}

/** Null: all that it guesses is missing. A name that is no guess stays, so that one sees what the source lacks. */
function fittedValue(value: unknown, known: (path: unknown) => boolean, guess = false): unknown {
  if (!isNode(value)) return value
  if ('source' in value) return !guess || known(value.source) ? value : null
  if (Array.isArray(value.first)) {
    const left = value.first
      .map((each) => fittedValue(each, known, true))
      .filter((each) => each !== null)
      .map((each) => JSON.stringify(each))
    const distinct = [...new Set(left)].map((each) => JSON.parse(each))
    return distinct.length > 1 ? { first: distinct } : (distinct[0] ?? null)
  }
  for (const form of ['lower', 'upper', 'split', 'map'])
    if (form in value) {
      const inner = fittedValue(value[form], known, guess)
      return inner === null ? null : { ...value, [form]: inner }
    }
  return value
}

/** Without guessed names that the source does not have, and without the rules that have no others. */
export function fitted(mapping: Mapping, members: readonly string[]): Mapping {
  const known = knows(members)
  const rules = mapping.flatMap((rule) => {
    const value = fittedValue(rule.value, known)
    if (value !== null) return [{ ...rule, value }]
    return rule.required ? [rule] : []
  }) as Mapping
  return rules.length > 0 ? rules : mapping
}

function* pathsOf(node: unknown): Generator<string> {
  if (!isNode(node)) return
  for (const [name, value] of Object.entries(node))
    if ((name === 'source' || name === 'field') && typeof value === 'string') yield value
    else yield* pathsOf(value)
}

/** Fields of the source that no rule reads. */
export function unread(mapping: Mapping, members: readonly string[]): string[] {
  const known = knows([...pathsOf(mapping)])
  return members.filter((member) => !known(member))
}
