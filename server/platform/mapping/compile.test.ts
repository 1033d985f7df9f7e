import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  compileMapping,
  type Mapping,
  type MappingCondition,
  type MappingContext,
  type MappingExpression,
} from './index.ts'

const ENGINEERING = '65f000000000000000000001'
const SALES = '65f000000000000000000002'

const context: MappingContext = {
  groups: [
    { id: ENGINEERING, name: 'Engineering' },
    { id: '65f000000000000000000003', name: 'München' },
    // Named like the id of another group.
    { id: '65f000000000000000000004', name: SALES },
  ],
}

const record = {
  username: 'ADA',
  firstname: 'Ada',
  lastname: 'Lovelace',
  middlename: '',
  email: 'ada@x.example',
  department: 'Mathematics',
  level: 5,
  sudo: false,
  tags: ['Blue', '', null, 'red'],
  phones: [],
  manager: { id: 'm1' },
  addresses: [{ locality: 'London' }],
}

const run = (mapping: Mapping, of: unknown = record) =>
  compileMapping(mapping).evaluate(of, context)
const evaluated = (value: MappingExpression) => run([{ target: 'x', value }]).result.x

const source = (path: string): MappingExpression => ({ source: path })
const constant = (value: string | number | boolean): MappingExpression => ({ constant: value })
const either = (
  condition: MappingCondition,
  yes: MappingExpression,
  no?: MappingExpression,
): MappingExpression => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: the word of the language; its value is never a function
  then: yes,
  ...(no && { else: no }),
})
const exists = (field: string): MappingCondition => ({ field, operator: 'exists' })

const EXPRESSIONS: [MappingExpression, unknown][] = [
  [source('username'), 'ADA'],
  [source('level'), 5],
  [source('sudo'), false],
  [source('middlename'), undefined],
  [source('phones'), undefined],
  [source('tags'), ['Blue', 'red']],
  [constant(0), 0],
  [constant(''), undefined],
  [{ join: [source('firstname'), source('lastname')], separator: ' ' }, 'Ada Lovelace'],
  [{ join: [source('firstname'), source('middlename'), source('level')] }, 'Ada5'],
  [{ join: [source('middlename'), source('none')], separator: '-' }, undefined],
  [{ join: [source('tags'), constant(1)], separator: ', ' }, 'Blue, red, 1'],
  [{ lower: source('username') }, 'ada'],
  [{ lower: source('tags') }, ['blue', 'red']],
  [{ lower: source('level') }, 5],
  [{ lower: source('none') }, undefined],
  [{ upper: source('firstname') }, 'ADA'],
  [{ split: source('email'), separator: '@' }, ['ada', 'x.example']],
  [{ split: source('email'), separator: '@', index: 0 }, 'ada'],
  [{ split: source('email'), separator: '.', index: -1 }, 'example'],
  [{ split: source('email'), separator: '@', index: 9 }, undefined],
  [{ split: constant('a,,b'), separator: ',' }, ['a', 'b']],
  [{ split: constant('a,,b'), separator: ',', index: 1 }, undefined],
  [{ split: { source: 'tags' }, separator: 'e', index: 0 }, ['Blu', 'r']],
  [{ map: source('department'), values: { MATHEMATICS: 'M', Physics: 'P' } }, 'M'],
  [{ map: source('sudo'), values: { true: 'admin', false: 'user' } }, 'user'],
  [{ map: source('level'), values: { 5: true } }, true],
  [{ map: source('firstname'), values: { x: 1 } }, undefined],
  [{ map: source('firstname'), values: { x: 1 }, default: 2 }, 2],
  [{ map: source('none'), values: { x: 1 }, default: 2 }, undefined],
  [{ map: source('firstname'), values: JSON.parse('{"__proto__": 1}'), default: 2 }, 2],
  [{ map: constant('constructor'), values: { x: 1 } }, undefined],
  [{ map: source('tags'), values: { red: '#f00' } }, ['#f00']],
  [{ first: [source('none'), source('middlename'), source('lastname')] }, 'Lovelace'],
  [{ first: [source('sudo'), constant(true)] }, false],
  [{ first: [source('none')] }, undefined],
  [{ groups: [{ group: 'sales', value: 's' }] }, undefined],
  [
    {
      groups: [
        { group: SALES, value: 's' },
        { group: 'engineering', value: 'e' },
        { group: 'München', value: 'm' },
      ],
    },
    'e',
  ],
  [
    {
      groups: [
        { group: ENGINEERING, value: 'e' },
        { group: 'MU\u0308NCHEN', value: 'm' },
        { group: 'Engineering', value: 'e' },
        { group: SALES, value: 's' },
      ],
      all: true,
    },
    ['e', 'm'],
  ],
  [{ groups: [{ group: 'Sales', value: 's' }], all: true }, undefined],
  [either(exists('level'), constant('yes'), constant('no')), 'yes'],
  [either(exists('none'), constant('yes'), constant('no')), 'no'],
  [either(exists('none'), constant('yes')), undefined],
]
for (const [expression, value] of EXPRESSIONS)
  test(`${JSON.stringify(expression)} is ${JSON.stringify(value)}`, () =>
    assert.deepEqual(evaluated(expression), value))

const CONDITIONS: [MappingCondition, boolean][] = [
  [{ field: 'department', operator: 'eq', value: 'mathematics' }, true],
  [{ field: 'department', operator: 'eq', value: 'Physics' }, false],
  [{ field: 'level', operator: 'eq', value: '5' }, true],
  [{ field: 'sudo', operator: 'eq', value: false }, true],
  [{ field: 'tags', operator: 'eq', value: 'RED' }, true],
  [{ field: 'none', operator: 'eq', value: 'x' }, false],
  [{ field: 'none', operator: 'ne', value: 'x' }, true],
  [{ field: 'tags', operator: 'ne', value: 'red' }, false],
  [{ field: 'level', operator: 'in', value: [4, 5] }, true],
  [{ field: 'department', operator: 'in', value: ['Physics'] }, false],
  [{ field: 'department', operator: 'not_in', value: ['Physics'] }, true],
  [{ field: 'department', operator: 'not_in', value: ['MATHEMATICS'] }, false],
  [{ field: 'email', operator: 'contains', value: '@X' }, true],
  [{ field: 'email', operator: 'startsWith', value: 'ADA@' }, true],
  [{ field: 'email', operator: 'startsWith', value: 'x' }, false],
  [{ field: 'email', operator: 'endsWith', value: '.example' }, true],
  [{ field: 'email', operator: 'endsWith', value: 'ada' }, false],
  [exists('manager'), true],
  [exists('addresses'), true],
  [exists('sudo'), true],
  [exists('middlename'), false],
  [exists('phones'), false],
  [{ field: 'phones', operator: 'not_exists' }, true],
  [{ and: [exists('email'), exists('none')] }, false],
  [{ and: [exists('email'), exists('level')] }, true],
  [{ or: [exists('none'), exists('level')] }, true],
  [{ or: [exists('none')] }, false],
  [{ not: exists('none') }, true],
  [{ group: 'ENGINEERING' }, true],
  [{ group: ENGINEERING }, true],
  [{ group: SALES }, false],
]
for (const [when, holds] of CONDITIONS)
  test(`${JSON.stringify(when)} is ${holds}`, () =>
    assert.deepEqual(
      run([{ target: 'x', value: constant(1), when }]).result,
      holds ? { x: 1 } : {},
    ))

test('a default stands in for a missing value, not for false or 0', () => {
  const rule = (path: string) => ({ target: path, value: source(path), default: 'd' })
  assert.deepEqual(run(['none', 'middlename', 'phones', 'sudo'].map(rule)).result, {
    none: 'd',
    middlename: 'd',
    phones: 'd',
    sudo: false,
  })
})

test('a required value that is missing is a problem, unless the condition does not hold', () => {
  const rule = { target: 'x', value: source('none'), required: true }
  assert.deepEqual(run([rule]), {
    result: {},
    problems: [{ target: 'x', problem: 'is required, but missing' }],
  })
  assert.deepEqual(run([{ ...rule, default: 'd' }]), { result: { x: 'd' }, problems: [] })
  assert.deepEqual(run([{ ...rule, when: exists('none') }]), { result: {}, problems: [] })
})

test('of several rules with one target, the first whose condition holds decides', () => {
  const rules: Mapping = [
    { target: 'x', value: constant(1), when: exists('none') },
    { target: 'x', value: source('none'), when: exists('email') },
    { target: 'x', value: constant(3) },
  ]
  assert.deepEqual(run(rules).result, {})
  assert.deepEqual(run(rules, { none: 'n' }).result, { x: 1 })
  assert.deepEqual(run(rules, {}).result, { x: 3 })
})

test('an object where a value is expected is a problem, named by its path', () => {
  assert.deepEqual(
    run([
      { target: 'a', value: { first: [source('manager'), constant(1)] }, default: 'd' },
      { target: 'b', value: source('addresses') },
      { target: 'c', value: constant(1), when: { field: 'manager', operator: 'ne', value: 'x' } },
      { target: 'd', value: source('manager.id') },
    ]),
    {
      result: { d: 'm1' },
      problems: [
        { target: 'a', problem: 'manager is an object, not a value' },
        { target: 'b', problem: 'addresses is an object, not a value' },
        { target: 'c', problem: 'manager is an object, not a value' },
      ],
    },
  )
})

test('a result shares nothing with the record', () => {
  const tags = ['a']
  const { result } = run([{ target: 'x', value: source('tags') }], { tags })
  assert.deepEqual(result.x, tags)
  assert.notEqual(result.x, tags)
})

test('gaps in a list that is written by index close', () => {
  const rules = ['none', 'firstname', 'middlename', 'lastname'].map((path, at) => ({
    target: `names[${at}].value`,
    value: source(path),
  }))
  assert.deepEqual(run(rules).result, { names: [{ value: 'Ada' }, { value: 'Lovelace' }] })
})

test('a preview shows what each rule reads, its value, and why it has none', () => {
  const mapping: Mapping = [
    { target: 'a', value: { join: [source('firstname'), source('middlename')] } },
    { target: 'b', value: source('none'), required: true, when: exists('level') },
    { target: 'c', value: source('none') },
    { target: 'd', value: constant(1), when: exists('none') },
    { target: 'd', value: source('manager') },
  ]
  const { sources, preview } = compileMapping(mapping)
  assert.deepEqual(sources, ['firstname', 'middlename', 'none', 'level', 'manager'])
  assert.deepEqual(preview(record, context), [
    {
      target: 'a',
      sources: [
        { path: 'firstname', value: 'Ada' },
        { path: 'middlename', value: null },
      ],
      value: 'Ada',
      missing: false,
      skipped: false,
    },
    {
      target: 'b',
      sources: [
        { path: 'none', value: null },
        { path: 'level', value: 5 },
      ],
      value: null,
      missing: true,
      skipped: false,
      problem: 'is required, but missing',
    },
    {
      target: 'c',
      sources: [{ path: 'none', value: null }],
      value: null,
      missing: true,
      skipped: false,
    },
    {
      target: 'd',
      sources: [{ path: 'none', value: null }],
      value: null,
      missing: false,
      skipped: true,
    },
    {
      target: 'd',
      sources: [{ path: 'manager', value: null }],
      value: null,
      missing: true,
      skipped: false,
      problem: 'manager is an object, not a value',
    },
  ])
})
