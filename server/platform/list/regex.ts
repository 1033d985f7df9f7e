import { type AppError, invalid } from '../errors.ts'
import type { ListLimits } from '../limits.ts'

// Allows only regular expressions that PostgreSQL matches in linear time. Without back-references and lookaround it
// runs an automaton without backtracking; what remains is the number of states, which repetitions multiply.
// https://www.postgresql.org/docs/current/functions-matching.html

const refuse = (name: string, what: string): AppError =>
  invalid('unsafe_regex', `filter: $regex of ${name} ${what}`)

/** Leading flags; not x, q, b and e, which change the syntax of the rest. */
const FLAGS = /^\(\?[icmnpsw]+\)/
const GROUP = /\((?:\?:)?/y
/** A bracket expression; a bracket right at its start is a member, as are named classes. */
const CLASS = /\[\^?\]?(?:\[[:.=][^\]]*?[:.=]\]|\\[\s\S]|[^\]\\])*\]/y
const QUANTIFIER = /(?:[*+]|\{(\d+)(?:,(\d*))?\}|\?)\??/y

interface Group {
  /** Characters and classes, multiplied by their repetitions. */
  atoms: number
  repeats: boolean
}

/** Throws for a pattern that could be slow. Invalid syntax is left to the database. */
export function checkRegex(name: string, pattern: string, max: ListLimits): void {
  const { regexLength, regexRepetitions, regexSize } = max
  if (pattern.length > regexLength) throw refuse(name, `may have at most ${regexLength} characters`)
  if (pattern.startsWith('***')) throw refuse(name, 'must not start with ***')
  let at = FLAGS.exec(pattern)?.[0].length ?? 0
  const outer: Group[] = []
  let group: Group = { atoms: 0, repeats: false }

  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at
    const found = expression.exec(pattern)
    if (found) at = expression.lastIndex
    return found
  }
  /** Handles the quantifier after an atom of size `atoms`, which may already contain repetitions. */
  function quantified(atoms: number, repeats: boolean): void {
    const quantifier = take(QUANTIFIER)
    const repeated = quantifier !== null && !quantifier[0].startsWith('?')
    if (repeated && repeats) throw refuse(name, 'nests repetitions, as in (a+)*')
    const times = Math.max(1, Number(quantifier?.[1] ?? 1), Number(quantifier?.[2] || 1))
    if (times > regexRepetitions) throw refuse(name, `repeats more than ${regexRepetitions} times`)
    if (quantifier && take(QUANTIFIER)) throw refuse(name, 'has two quantifiers in a row')
    group.repeats ||= repeated || repeats
    group.atoms += atoms * times
    if (group.atoms > regexSize)
      throw refuse(name, 'is too large when its repetitions are expanded')
  }

  while (at < pattern.length) {
    const character = pattern[at]!
    if (character === '(') {
      take(GROUP)
      // Lookaround, and any other special group.
      if (pattern[at] === '?')
        throw refuse(name, `has an unsupported group, (?${pattern[at + 1] ?? ''}`)
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
      // Unclosed: reported by the database.
      if (character !== '[' || !take(CLASS)) at++
      quantified(1, false)
    }
  }
}
