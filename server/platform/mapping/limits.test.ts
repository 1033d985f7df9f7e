import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '../errors.ts'
import { compileMapping, type Mapping, type MappingExpression, type MappingRule } from './index.ts'

// Mappings and records are untrusted: what a mapping must not say, and what a record cannot make it do.

const a = { source: 'a' }
/** Not checked by the compiler: most are wrong. */
const rule = (value: unknown, more: object = {}) => ({ target: 'x', value, ...more }) as MappingRule
const when = (condition: unknown) => rule(a, { when: condition })
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const nested = (depth: number): object => (depth === 1 ? a : { lower: nested(depth - 1) })
const negated = (depth: number): object =>
  depth === 1 ? { group: 'g' } : { not: negated(depth - 1) }

const FORMS = 'source, constant, join, lower, upper, split, map, first, groups, if'

const REFUSED: [unknown, string][] = [
  [{}, 'mapping: must be array'],
  [[7], 'mapping[0]: must be object'],
  [[{ value: a }], 'mapping[0]: must have required properties target'],
  [[{ target: 'x' }], 'mapping[0]: must have required properties value'],
  [[rule('a')], 'mapping[0].value: must be object'],
  [[rule(a, { code: '1' })], 'mapping[0].code: is not a known member'],
  [[rule(a, { default: [] })], 'mapping[0].default: must be either string or number or boolean'],
  [[{ ...rule(a), target: 'y' }, rule({})], `mapping[1].value: must have exactly one of ${FORMS}`],
  [[rule({ ...a, constant: 1 })], `mapping[0].value: must have exactly one of ${FORMS}`],
  [[rule(JSON.parse('{"__proto__": 1}'))], `mapping[0].value: must have exactly one of ${FORMS}`],
  [[rule({ ...a, x: 1 })], 'mapping[0].value.x: is not a known member'],
  [[rule({ source: 7 })], 'mapping[0].value.source: must be string'],
  [
    [rule({ source: 'a..b' })],
    'mapping[0].value.source: must be a path such as a.b, a[0].b or a[type eq "work"].b',
  ],
  [
    [rule({ source: 'a'.repeat(257) })],
    'mapping[0].value.source: must not have more than 256 characters',
  ],
  [[rule({ join: [] })], 'mapping[0].value.join: must not have fewer than 1 items'],
  [
    [rule({ join: [a, { first: [{ source: '' }] }] })],
    'mapping[0].value.join[1].first[0].source: must not have fewer than 1 characters',
  ],
  [[rule({ join: [a, 'b'] })], 'mapping[0].value.join[1]: must be object'],
  [
    [rule({ join: times(1001, () => a) })],
    'mapping[0].value.join: must not have more than 1000 items',
  ],
  [[rule({ split: a })], 'mapping[0].value: must have required properties separator'],
  [
    [rule({ split: a, separator: '' })],
    'mapping[0].value.separator: must not have fewer than 1 characters',
  ],
  [[rule({ split: a, separator: ',', index: 0.5 })], 'mapping[0].value.index: must be integer'],
  [
    [rule({ map: a, values: { b: null } })],
    'mapping[0].value.values.b: must be either string or number or boolean',
  ],
  [
    [rule({ map: a, values: { ['b'.repeat(1001)]: 1 } })],
    `mapping[0].value.values.${'b'.repeat(92)}…: must not have more than 1000 characters`,
  ],
  [[rule({ map: a, values: { Yes: 1, yes: 2 } })], 'mapping[0].value.values: has "yes" twice'],
  [
    [rule({ constant: 'a'.repeat(1001) })],
    'mapping[0].value.constant: must not have more than 1000 characters',
  ],
  [[rule(nested(9))], `mapping[0].value${'.lower'.repeat(8)}: is nested deeper than 8 levels`],
  [[when(negated(9))], `mapping[0].when${'.not'.repeat(8)}: is nested deeper than 8 levels`],
  [[when({})], 'mapping[0].when: must have exactly one of field, and, or, not, group'],
  [[when({ and: [] })], 'mapping[0].when.and: must not have fewer than 1 items'],
  [[when({ field: 'a' })], 'mapping[0].when: must have required properties operator'],
  [[when({ field: 'a', operator: 'exists', value: 1 })], 'mapping[0].when.value: must be absent'],
  [
    [when({ not: { field: 'a', operator: 'eq' } })],
    'mapping[0].when.not.value: must be a single value that is not empty',
  ],
  [
    [when({ field: 'a', operator: 'contains', value: ['b'] })],
    'mapping[0].when.value: must be a single value that is not empty',
  ],
  [
    [when({ field: 'a', operator: 'contains', value: '' })],
    'mapping[0].when.value: must be a single value that is not empty',
  ],
  [[when({ field: 'a', operator: 'not_in', value: 'b' })], 'mapping[0].when.value: must be a list'],
  [
    times(201, (at) => ({ target: `x${at}`, value: a })),
    'mapping: must not have more than 200 items',
  ],
  [
    times(6, (at) => ({ target: `x${at}`, value: { join: times(1000, () => a) } })),
    'mapping[4].value.join[995]: the mapping has more than 5000 expressions, conditions and values',
  ],
  [
    times(6, (at) => ({
      target: `x${at}`,
      value: { map: a, values: Object.fromEntries(times(1000, (key) => [key, 1])) },
    })),
    'mapping[4].value: the mapping has more than 5000 expressions, conditions and values',
  ],
]
for (const [mapping, message] of REFUSED)
  test(`refused: ${message}`, () =>
    assert.throws(() => compileMapping(mapping as Mapping), {
      kind: 'invalid',
      reason: 'bad_mapping',
      message,
    } satisfies Partial<AppError>))

test('the error names the mapping as the caller does', () => {
  assert.throws(() => compileMapping([rule({})], 'config.mapping'), {
    message: `config.mapping[0].value: must have exactly one of ${FORMS}`,
  })
})

const unconditional = 'an earlier rule without "when" has this target'
const needs = (one: string, other: string) =>
  `needs ${one} where an earlier target or a filter needs ${other}`

const TARGETS: [string[], string | null][] = [
  [['a', 'a'], unconditional],
  [['emails[type eq "work"].value', 'emails[type eq "WORK"].value'], unconditional],
  [['name', 'name.givenName'], needs('an object', 'a value')],
  [['name.givenName', 'name'], needs('a value', 'an object')],
  [['a[0]', 'a.b'], needs('an object', 'a list by index')],
  [['a[0]', 'a[type eq "b"].c'], needs('a list by type', 'a list by index')],
  [['a[type eq "b"].c', 'a[kind eq "b"].c'], needs('a list by kind', 'a list by type')],
  [['a[type eq "b"]'], needs('a value', 'an object')],
  [['a[type eq "b"][0]'], needs('a list by index', 'an object')],
  [['a[type eq "b"].type'], needs('a value', 'the literal of a filter')],
  [['attributes.a', 'attributes[name eq "a"].value'], needs('a list by name', 'custom attributes')],
  [['a.__proto__.b'], 'must not contain __proto__'],
  [['a["__proto__"]'], 'must not contain __proto__'],
  [['constructor.prototype'], 'must not contain constructor'],
  [['a.prototype'], 'must not contain prototype'],
  [['a[constructor eq "b"].c'], 'must not contain constructor'],
  [['a.b', 'a.c', 'b.a', 'a[0', 'x'], 'must be a path such as a.b, a[0].b or a[type eq "work"].b'],
  [['a[type eq "b"].c', 'a[type eq "d"].c', 'a[type eq "B"].e'], null],
  [['a[0].b', 'a[1].b', 'a[0].c'], null],
  [['attributes.__proto__', 'attributes.b', 'attributes.B'], null],
]
for (const [targets, problem] of TARGETS)
  test(`targets ${targets.join(', ')}: ${problem ?? 'accepted'}`, () => {
    const compile = () => compileMapping(targets.map((target) => ({ target, value: a })))
    if (problem === null) return void compile()
    assert.throws(compile, ({ message }: AppError) => message.endsWith(`.target: ${problem}`))
  })

test('rules may share a target when all but the last have a condition', () => {
  const first = { target: 'x', value: a, when: { group: 'g' } }
  compileMapping([first, first, rule(a)])
  assert.throws(() => compileMapping([rule(a), first]), { reason: 'bad_mapping' })
})

const evaluate = (mapping: Mapping, record: unknown) =>
  compileMapping(mapping).evaluate(record, { groups: [] })
const tooLong = { target: 'x', problem: 'the value is longer than 10000 characters' }

test('joins of joins end at the limit', () => {
  let value: MappingExpression = { source: 'a' }
  for (const size of [20, 10, 5, 2]) value = { join: times(size, () => value) }
  const run = (text: string) => evaluate([{ target: 'x', value }], { a: text })
  assert.deepEqual(run('12345').result, { x: '12345'.repeat(2000) })
  assert.deepEqual(run('123456').problems, [tooLong])
})

test('a long separator between many elements ends at the limit', () => {
  const value = { join: [a], separator: 's'.repeat(1000) }
  assert.deepEqual(evaluate([rule(value)], { a: times(4000, () => 'b') }).problems, [tooLong])
})

test('a join stops where it exceeds the limit', () => {
  const record = {
    a: 'b'.repeat(6000),
    get late(): string {
      return assert.fail('read')
    },
  }
  const { problems } = evaluate([rule({ join: [a, a, { source: 'late' }] })], record)
  assert.deepEqual(problems, [tooLong])
})

test('a value that grows in a map or in upper case ends at the limit', () => {
  const many = times(4000, () => 'b')
  const mapped = { map: a, values: { b: 'c'.repeat(1000) } }
  assert.deepEqual(evaluate([rule(mapped)], { a: many }).problems, [tooLong])
  const upper = evaluate([rule({ upper: a })], { a: 'ß'.repeat(6000) })
  assert.deepEqual(upper.problems, [tooLong])
})

test('long values of a record are a problem where they are read', () => {
  const problem = 'a is longer than 10000 characters'
  for (const long of ['b'.repeat(10_001), times(10_001, () => ''), times(5001, () => 'b')]) {
    assert.deepEqual(evaluate([rule(a)], { a: long }).problems, [{ target: 'x', problem }])
    const condition = { field: 'a', operator: 'contains', value: 'c' }
    assert.deepEqual(evaluate([when(condition)], { a: long }).problems, [{ target: 'x', problem }])
  }
  assert.equal(evaluate([rule(a)], { a: 'b'.repeat(10_000) }).problems.length, 0)
})

const TOO_COSTLY = 'takes more work than 2000000 characters of one record'

test('rules end at the work that one record may take, and say so', () => {
  const long = 'b'.repeat(10_000)
  const contains = (value: string) => ({ field: 'a', operator: 'contains' as const, value })
  const conditions = times(150, (at) => contains(`c${at}`))
  const mapping: Mapping = [
    { target: 'before', value: { constant: 1 } },
    { target: 'x', value: a, when: { or: conditions } },
    { target: 'y', value: a, when: { or: conditions } },
    { target: 'z', value: { constant: 1 } },
  ]
  const { evaluate, preview } = compileMapping(mapping)
  const context = { groups: [] }
  assert.deepEqual(evaluate({ a: long }, context), {
    result: { before: 1 },
    problems: ['y', 'z'].map((target) => ({ target, problem: TOO_COSTLY })),
    tooCostly: true,
  })
  assert.deepEqual(
    preview({ a: long }, context).map(({ problem }) => problem),
    [undefined, undefined, TOO_COSTLY, TOO_COSTLY],
  )
  // The next record begins anew.
  assert.deepEqual(evaluate({ a: 'b' }, context).problems, [])
})

test('a list counts as work by its elements', () => {
  const conditions = times(50, (at) => ({ field: 'a', operator: 'eq' as const, value: `c${at}` }))
  const run = (elements: number) =>
    evaluate([rule(a, { when: { or: conditions } })], { a: times(elements, () => 'b') }).tooCostly
  assert.equal(run(4999), true)
  assert.equal(run(1000), undefined)
})

test('a list is searched by an index, and a path is read once', () => {
  let reads = 0
  const list = times(1000, (at) => ({
    get type() {
      reads++
      return `Typ\u0065 ${at}`
    },
    value: at,
  }))
  const paths = times(1600, (at) => `list[type eq "TYPE ${at}"].value`)
  const mapping = times(160, (at) => ({
    target: `x${at}`,
    value: { first: paths.slice(at * 10, at * 10 + 10).map((source) => ({ source })) },
  }))
  const { result, problems } = evaluate(mapping, { list })
  assert.deepEqual(problems, [])
  assert.equal(result.x99, 990)
  assert.equal(Object.hasOwn(result, 'x100'), false)
  assert.equal(reads, 1000)
})

test('only the first thousand elements of a list are searched', () => {
  const list = times(1001, (at) => ({ type: `t${at}`, name: `t${at}`, value: at }))
  const read = (source: string) => evaluate([rule({ source })], { attributes: list }).result
  assert.deepEqual(read('attributes[type eq "t999"].value'), { x: 999 })
  assert.deepEqual(read('attributes[type eq "t1000"].value'), {})
  assert.deepEqual(read('attributes.t1000'), {})
})

test('a record of any type, with any values, is evaluated without an error', () => {
  const mapping = [
    { target: 'a', value: { lower: a } },
    { target: 'b', value: { split: a, separator: ',', index: -1 } },
    { target: 'c', value: { join: [a, { source: 'a.b' }, { source: 'a[0]' }] } },
    { target: 'd', value: { map: a, values: { b: 1 } } },
    { target: 'e', value: a, when: { field: 'a', operator: 'startsWith' as const, value: 'b' } },
    { target: 'f', value: { source: 'a[type eq "b"].c' } },
  ]
  const hostile = {
    toString: () => assert.fail('called'),
    valueOf: () => assert.fail('called'),
    [Symbol.toPrimitive]: () => assert.fail('called'),
  }
  const { evaluate, preview } = compileMapping(mapping)
  for (const value of [
    null,
    7,
    Number.NaN,
    10n,
    true,
    '',
    'b,c',
    [],
    [[]],
    [[['b']]],
    [null, 'b'],
    [{ type: hostile }],
    {},
    { b: {} },
    hostile,
    Symbol('s'),
    () => 'b',
    new Date(0),
    new Map(),
    Object.create({ b: 1 }),
  ])
    for (const record of [value, { a: value }]) {
      const { result } = evaluate(record, { groups: [] })
      preview(record, { groups: [] })
      for (const written of Object.values(result).flat())
        assert.ok(['string', 'number', 'boolean'].includes(typeof written))
    }
})

test('no prototype is changed', () => {
  const record = JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"name": "c"}}')
  const { result } = evaluate(
    [
      { target: 'a', value: { source: '__proto__.polluted' } },
      { target: 'b', value: { source: 'constructor.name' } },
      { target: 'attributes.__proto__', value: { constant: 'p' } },
    ],
    record,
  )
  assert.deepEqual(result, { a: 'yes', b: 'c', attributes: [{ name: '__proto__', value: 'p' }] })
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})
