import type { components } from '../../../../../client/index.ts'

export type Mapping = components['schemas']['Mapping']
type Rule = Mapping[number]
type Expression = Rule['value']

/** `username` is a field, `"yes"` a constant, and anything else is written as the API writes it. */
function textOf(value: Expression): string {
  const keys = Object.keys(value)
  if (keys.length === 1 && 'source' in value) return String(value.source)
  if (keys.length === 1 && 'constant' in value) return JSON.stringify(value.constant)
  return JSON.stringify(value)
}

/** Null: not readable. */
export function expressionOf(text: string): Expression | null {
  const trimmed = text.trim()
  if (!/^(["{]|-?\d|(true|false)$)/.test(trimmed)) return { source: trimmed } as Expression
  try {
    const parsed: unknown = JSON.parse(trimmed)
    return (typeof parsed === 'object' ? parsed : { constant: parsed }) as Expression
  } catch {
    return null
  }
}

export interface Row {
  target: string
  text: string
  /** What the row does not show: default, condition. */
  rule: Partial<Rule>
}

export const rowsOf = (mapping: Mapping): Row[] =>
  mapping.map((rule) => ({ target: rule.target, text: textOf(rule.value), rule }))

/** Null while a row cannot be read. */
export function mappingOf(rows: Row[]): Mapping | null {
  const rules = rows.map(({ target, text, rule }) => {
    const value = expressionOf(text)
    return value && { ...rule, target: target.trim(), value }
  })
  return rules.every((rule) => rule !== null) ? (rules as Mapping) : null
}
