import { type AppError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'

// Regular expressions that PostgreSQL matches in a time that grows with the text and with the pattern, and no faster.
// Without back-references and lookaround it walks through states and never goes back; what is left is the number of
// states, which repetitions multiply. https://www.postgresql.org/docs/current/functions-matching.html

const refuse = (name: string, what: string): AppError =>
  invalid('unsafe_regex', `filter: $regex of ${name} ${what}`)

/** Flags at the beginning; not x, q, b and e, under which the rest would be read otherwise. */
const FLAGS = /^\(\?[icmnpsw]+\)/
const GROUP = /\((?:\?:)?/y
/** A list of characters; a bracket right at its beginning is one of them, as is what is named within. */
const CLASS = /\[\^?\]?(?:\[[:.=][^\]]*?[:.=]\]|\\[\s\S]|[^\]\\])*\]/y
const QUANTIFIER = /(?:[*+]|\{(\d+)(?:,(\d*))?\}|\?)\??/y

interface Group {
  /** Characters and classes in it, with their repetitions. */
  atoms: number
  repeats: boolean
}

/** Throws for a pattern that is allowed to nobody; one that is no regular expression at all the database refuses. */
export function checkRegex(name: string, pattern: string): void {
  const { regexLength, regexRepetitions, regexSize } = limits.list
  if (pattern.length > regexLength) throw refuse(name, `may have at most ${regexLength} characters`)
  if (pattern.startsWith('***')) throw refuse(name, 'must not begin with ***')
  let at = FLAGS.exec(pattern)?.[0].length ?? 0
  const outer: Group[] = []
  let group: Group = { atoms: 0, repeats: false }

  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at
    const found = expression.exec(pattern)
    if (found) at = expression.lastIndex
    return found
  }
  /** What stands behind an atom, of which there are `atoms`, some of them maybe repeated already. */
  function quantified(atoms: number, repeats: boolean): void {
    const quantifier = take(QUANTIFIER)
    const repeated = quantifier !== null && !quantifier[0].startsWith('?')
    if (repeated && repeats)
      throw refuse(name, 'repeats something that has repetitions itself, as in (a+)*')
    const times = Math.max(1, Number(quantifier?.[1] ?? 1), Number(quantifier?.[2] || 1))
    if (times > regexRepetitions) throw refuse(name, `repeats more than ${regexRepetitions} times`)
    if (quantifier && take(QUANTIFIER)) throw refuse(name, 'has two quantifiers in a row')
    group.repeats ||= repeated || repeats
    group.atoms += atoms * times
    if (group.atoms > regexSize) throw refuse(name, 'is too large with its repetitions')
  }

  while (at < pattern.length) {
    const character = pattern[at]!
    if (character === '(') {
      take(GROUP)
      // Lookaround, and anything else that is more than a group.
      if (pattern[at] === '?')
        throw refuse(name, `has a group of a kind that is not allowed, (?${pattern[at + 1] ?? ''}`)
      outer.push(group)
      group = { atoms: 0, repeats: false }
    } else if (character === ')') {
      at++
      const inner = group
      group = outer.pop() ?? { atoms: 0, repeats: false }
      quantified(inner.atoms, inner.repeats)
    } else if (character === '\\') {
      if (/[1-9]/.test(pattern[at + 1] ?? '')) throw refuse(name, 'has a back-reference')
      at += 2
      quantified(1, false)
    } else {
      // Not closed: the database says so.
      if (character !== '[' || !take(CLASS)) at++
      quantified(1, false)
    }
  }
}
