import { compileCondition } from './conditions.ts'
import { compileExpression } from './expressions.ts'
import { ListIndex } from './list-index.ts'
import { closeGaps, writePath } from './paths.ts'
import { Place } from './place.ts'
import { Mapping, type MappingPreviewRow, type MappingRule, type Value } from './schema.ts'
import { type MappingContext, Scope } from './scope.ts'
import { Targets, unsafeName } from './targets.ts'
import { isMissing, TOO_COSTLY, workFor } from './values.ts'

interface MappingResult {
  result: Record<string, unknown>
  /** The targets that have no value because of them. */
  problems: { target: string; problem: string }[]
  /** The rules ended because the record takes too much work. */
  tooCostly?: true
}

export interface CompiledMapping {
  /** The paths that the rules read, each once. */
  sources: string[]
  evaluate(record: unknown, context: MappingContext): MappingResult
  /** The same, rule by rule, for people. */
  preview(record: unknown, context: MappingContext): MappingPreviewRow[]
}

type CompiledRule = ReturnType<typeof compileRule>

interface Outcome {
  value?: Value | undefined
  problem?: string | undefined
  skipped?: boolean
}

function compileRule(rule: MappingRule, at: Place, targets: Targets) {
  const path = at.path(rule.target, 'target')
  const unsafe = unsafeName(path)
  if (unsafe !== undefined) throw at.error(`must not contain ${unsafe}`, '.target')
  const added = targets.add(path, rule.when !== undefined)
  if ('problem' in added) throw at.error(added.problem, '.target')
  const value = compileExpression(rule.value, at.inside('value'))
  const when = rule.when && compileCondition(rule.when, at.inside('when'))
  const sources = [...at.sources].map((text) => ({ text, path: at.path(text, 'value') }))
  const { target, required = false } = rule
  const fallback = isMissing(rule.default) ? undefined : rule.default
  return { target, path, key: added.key, value, when, required, fallback, sources }
}

function outcomeOf({ when, value, fallback, required }: CompiledRule, scope: Scope): Outcome {
  if (scope.isSpent) return { problem: TOO_COSTLY }
  scope.problem = undefined
  const applies = when?.(scope) ?? true
  const found = applies ? (value(scope) ?? fallback) : undefined
  if (scope.problem !== undefined) return { problem: scope.problem }
  if (!applies) return { skipped: true }
  return found === undefined && required
    ? { problem: 'is required, but missing' }
    : { value: found }
}

/** In the order of the rules. Of several with the same target, the first whose condition holds decides. */
function outcomesOf(rules: CompiledRule[], scope: Scope): Outcome[] {
  const decided = new Set<string>()
  return rules.map((rule) => {
    if (decided.has(rule.key)) return { skipped: true }
    const outcome = outcomeOf(rule, scope)
    if (!outcome.skipped) decided.add(rule.key)
    return outcome
  })
}

function shown(path: CompiledRule['path'], scope: Scope): Value | null {
  if (scope.isSpent) return null
  const found = scope.value(path)
  if (!('value' in found)) return null
  scope.spend(workFor(found.value))
  return found.value ?? null
}

/**
 * Checks a mapping and prepares it for any number of records. Throws `bad_mapping`, which names the place in it; `name` is
 * what the caller's API calls the mapping.
 */
export function compileMapping(mapping: Mapping, name = 'mapping'): CompiledMapping {
  const place = new Place(name)
  place.check(Mapping, mapping)
  const targets = new Targets()
  const rules = mapping.map((rule, at) => compileRule(rule, place.rule(at), targets))
  const indexed = rules.some(({ path }) => path.some((segment) => typeof segment === 'number'))
  return {
    sources: [...new Set(rules.flatMap(({ sources }) => sources.map(({ text }) => text)))],
    evaluate(record, context) {
      const scope = new Scope(record, context)
      const outcomes = outcomesOf(rules, scope)
      const { result, problems }: MappingResult = { result: {}, problems: [] }
      const index = new ListIndex()
      for (const [at, { target, path }] of rules.entries()) {
        const { value, problem } = outcomes[at]!
        if (problem !== undefined) problems.push({ target, problem })
        else if (value !== undefined) writePath(path, result, value, index)
      }
      if (indexed) closeGaps(result)
      return { result, problems, ...(scope.isSpent && { tooCostly: true }) }
    },
    preview(record, context) {
      const scope = new Scope(record, context)
      const outcomes = outcomesOf(rules, scope)
      return rules.map(({ target, sources }, at) => {
        const { value = null, problem, skipped = false } = outcomes[at]!
        return {
          target,
          sources: sources.map(({ text, path }) => ({ path: text, value: shown(path, scope) })),
          value,
          missing: !skipped && value === null,
          skipped,
          ...(problem !== undefined && { problem }),
        }
      })
    },
  }
}
