import { type Static, type TSchema, Type } from 'typebox'

export const MAX_RULES = 200
/** Nesting of expressions and conditions. */
export const MAX_DEPTH = 8
/** Expressions, conditions and the entries of their lists, in all rules. */
export const MAX_NODES = 5000
export const MAX_ITEMS = 1000
export const MAX_PATH_LENGTH = 256
/** Texts in the mapping itself. */
export const MAX_TEXT_LENGTH = 1000
/** Characters of one value that a rule reads, computes or writes; in a list, of all elements. */
export const MAX_VALUE_LENGTH = 10_000
/** Characters that the rules read, compare and compute for one record: some tens of milliseconds. */
export const MAX_WORK = 2_000_000

export type Scalar = string | number | boolean
export type Value = Scalar | Scalar[]

// A type array instead of a union: one violation, and the serializer need not try each schema.
const Scalar = Type.Unsafe<Scalar>({
  type: ['string', 'number', 'boolean'],
  maxLength: MAX_TEXT_LENGTH,
})
const Text = Type.String({ maxLength: MAX_TEXT_LENGTH })
const Path = Type.String({
  minLength: 1,
  maxLength: MAX_PATH_LENGTH,
  description: 'Such as a.b, a[0].b, a[type eq "work"].b or urn:…:User:b',
})
const Group = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT_LENGTH,
  description: 'Id or name of a group',
})

export const OPERATORS = [
  'eq',
  'ne',
  'in',
  'not_in',
  'contains',
  'startsWith',
  'endsWith',
  'exists',
  'not_exists',
] as const
export type Operator = (typeof OPERATORS)[number]

export type MappingCondition =
  | { field: string; operator: Operator; value?: Value }
  | { and: MappingCondition[] }
  | { or: MappingCondition[] }
  | { not: MappingCondition }
  | { group: string }

export type MappingExpression =
  | { source: string }
  | { constant: Scalar }
  | { join: MappingExpression[]; separator?: string }
  | { lower: MappingExpression }
  | { upper: MappingExpression }
  | { split: MappingExpression; separator: string; index?: number }
  | { map: MappingExpression; values: Record<string, Scalar>; default?: Scalar }
  | { first: MappingExpression[] }
  | { groups: { group: string; value: Scalar }[]; all?: boolean }
  | { if: MappingCondition; then: MappingExpression; else?: MappingExpression }

/**
 * One level of the recursion. The validator of a route accepts any object, because compileMapping checks every level and
 * names the place in its error; the OpenAPI file refers to the definition.
 */
const level = <T>(title: string) =>
  Type.Unsafe<T>({ type: 'object', additionalProperties: true, 'x-component': title })
const Expression = level<MappingExpression>('MappingExpression')
const Condition = level<MappingCondition>('MappingCondition')

const list = <T extends TSchema>(item: T) => Type.Array(item, { minItems: 1, maxItems: MAX_ITEMS })
const form = <T extends Record<string, TSchema>>(members: T) =>
  Type.Object(members, { additionalProperties: false })

/** The forms of an expression, by the member that only this form has. */
export const EXPRESSIONS = {
  source: form({ source: Path }),
  constant: form({ constant: Scalar }),
  join: form({ join: list(Expression), separator: Type.Optional(Text) }),
  lower: form({ lower: Expression }),
  upper: form({ upper: Expression }),
  split: form({
    split: Expression,
    separator: Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
    index: Type.Optional(Type.Integer({ description: 'Negative: counted from the end' })),
  }),
  map: form({
    map: Expression,
    values: Type.Unsafe<Record<string, Scalar>>({
      type: 'object',
      propertyNames: { maxLength: MAX_TEXT_LENGTH },
      additionalProperties: Scalar,
      maxProperties: MAX_ITEMS,
    }),
    default: Type.Optional(Scalar),
  }),
  first: form({ first: list(Expression) }),
  groups: form({
    groups: list(form({ group: Group, value: Scalar })),
    all: Type.Optional(Type.Boolean()),
  }),
  // biome-ignore lint/suspicious/noThenProperty: the word of the language; its value is never a function
  if: form({ if: Condition, then: Expression, else: Type.Optional(Expression) }),
}

export const CONDITIONS = {
  field: form({
    field: Path,
    operator: Type.Enum([...OPERATORS]),
    value: Type.Optional(
      Type.Unsafe<Value>({
        type: ['string', 'number', 'boolean', 'array'],
        maxLength: MAX_TEXT_LENGTH,
        items: Scalar,
        minItems: 1,
        maxItems: MAX_ITEMS,
        description: 'A list for in and not_in; absent for exists and not_exists',
      }),
    ),
  }),
  and: form({ and: list(Condition) }),
  or: form({ or: list(Condition) }),
  not: form({ not: Condition }),
  group: form({ group: Group }),
}

export const MappingRule = Type.Object(
  {
    target: Path,
    value: Expression,
    default: Type.Optional(Scalar),
    when: Type.Optional(Condition),
    required: Type.Optional(Type.Boolean()),
  },
  { title: 'MappingRule', additionalProperties: false },
)
export type MappingRule = Static<typeof MappingRule>

export const Mapping = Type.Array(MappingRule, {
  title: 'Mapping',
  maxItems: MAX_RULES,
  $defs: {
    MappingExpression: Type.Union(Object.values(EXPRESSIONS), { title: 'MappingExpression' }),
    MappingCondition: Type.Union(Object.values(CONDITIONS), { title: 'MappingCondition' }),
  },
})
export type Mapping = Static<typeof Mapping>

const Shown = Type.Unsafe<Value | null>({
  description: 'A string, a number, a boolean, a list of these, or null for none',
})

export const MappingPreviewRow = Type.Object(
  {
    target: Type.String(),
    sources: Type.Array(Type.Object({ path: Type.String(), value: Shown })),
    value: Shown,
    missing: Type.Boolean({ description: 'The rule applies, but has no value' }),
    skipped: Type.Boolean({
      description: 'Its condition does not hold, or an earlier rule with this target applies',
    }),
    problem: Type.Optional(Type.String()),
  },
  { title: 'MappingPreviewRow' },
)
export type MappingPreviewRow = Static<typeof MappingPreviewRow>
