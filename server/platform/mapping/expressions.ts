import { compileCondition } from './conditions.ts'
import type { Place } from './place.ts'
import {
  EXPRESSIONS,
  MAX_VALUE_LENGTH,
  type MappingExpression,
  type Scalar,
  type Value,
} from './schema.ts'
import { groupKey, type Scope } from './scope.ts'
import { fold, TOO_LONG, usable, workFor } from './values.ts'

/** Undefined if the value is missing. */
type Evaluate = (scope: Scope) => Value | undefined
type Form<K> = Extract<MappingExpression, Record<K & string, unknown>>

const compileAll = (parts: MappingExpression[], member: string, at: Place): Evaluate[] =>
  parts.map((part, index) => compileExpression(part, at.inside(`${member}[${index}]`)))

/** Applies to a scalar, or to each element of a list. */
const each =
  (inner: Evaluate, change: (value: Scalar) => Value | undefined): Evaluate =>
  (scope) => {
    const value = inner(scope)
    if (Array.isArray(value)) return value.flatMap((element) => change(element) ?? [])
    return value === undefined ? undefined : change(value)
  }

const eachText = (inner: Evaluate, change: (text: string) => string): Evaluate =>
  each(inner, (value) => (typeof value === 'string' ? change(value) : value))

function joined(parts: Evaluate[], separator: string, scope: Scope): string | undefined {
  const texts: string[] = []
  let length = 0
  for (const part of parts) {
    for (const value of [part(scope) ?? []].flat()) {
      const text = String(value)
      texts.push(text)
      length += text.length + separator.length
      // Before the text is built: many long parts would need as much memory as all of them.
      if (length - separator.length > MAX_VALUE_LENGTH) return scope.fail(`the value ${TOO_LONG}`)
    }
  }
  return texts.join(separator)
}

/** Keys are compared like values, so "Yes" and "yes" would be the same key. */
function tableOf(values: Record<string, Scalar>, at: Place): Map<string, Scalar> {
  const table = new Map<string, Scalar>()
  for (const [key, value] of Object.entries(values)) {
    if (table.has(fold(key))) throw at.error(`has "${key}" twice`, '.values')
    table.set(fold(key), value)
  }
  at.count(table.size)
  return table
}

const BUILD: { [K in keyof typeof EXPRESSIONS]: (form: Form<K>, at: Place) => Evaluate } = {
  source({ source }, at) {
    const path = at.source(source, 'source')
    return (scope) => {
      const found = scope.value(path)
      return 'value' in found ? found.value : scope.fail(`${source} ${found.problem}`)
    }
  },
  constant:
    ({ constant }) =>
    () =>
      constant,
  join({ join, separator = '' }, at) {
    const parts = compileAll(join, 'join', at)
    return (scope) => joined(parts, separator, scope)
  },
  lower: ({ lower }, at) =>
    eachText(compileExpression(lower, at.inside('lower')), (text) => text.toLowerCase()),
  upper: ({ upper }, at) =>
    eachText(compileExpression(upper, at.inside('upper')), (text) => text.toUpperCase()),
  split({ split, separator, index }, at) {
    return each(compileExpression(split, at.inside('split')), (value) => {
      const parts = String(value).split(separator)
      return index === undefined ? parts : parts.at(index)
    })
  },
  map({ map, values, default: other }, at) {
    const table = tableOf(values, at)
    return each(
      compileExpression(map, at.inside('map')),
      (value) => table.get(fold(value)) ?? other,
    )
  },
  first({ first }, at) {
    const parts = compileAll(first, 'first', at)
    return (scope) => {
      for (const part of parts) {
        const value = part(scope)
        if (value !== undefined) return value
      }
      return undefined
    }
  },
  groups({ groups, all = false }, at) {
    at.count(groups.length)
    const entries = groups.map(({ group, value }) => ({ key: groupKey(group), value }))
    if (!all) return (scope) => entries.find(({ key }) => scope.isMember(key))?.value
    return (scope) => [
      ...new Set(entries.filter(({ key }) => scope.isMember(key)).map(({ value }) => value)),
    ]
  },
  if({ if: condition, then: yes, else: no }, at) {
    const holds = compileCondition(condition, at.inside('if'))
    const thenValue = compileExpression(yes, at.inside('then'))
    const elseValue = no && compileExpression(no, at.inside('else'))
    return (scope) => (holds(scope) ? thenValue(scope) : elseValue?.(scope))
  },
}

export function compileExpression(expression: MappingExpression, at: Place): Evaluate {
  const form = at.formOf(EXPRESSIONS, expression)
  const evaluate = BUILD[form](expression as never, at)
  return (scope) => {
    if (scope.isSpent) return undefined
    const found = usable(evaluate(scope))
    if ('problem' in found) return scope.fail(`the value ${found.problem}`)
    // What takes the value goes through it.
    scope.spend(workFor(found.value))
    return scope.isSpent ? undefined : found.value
  }
}
