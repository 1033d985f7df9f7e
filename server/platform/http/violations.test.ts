import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { describeViolations } from './violations.ts'

const maybe = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const Body = Type.Object({
  name: Type.String(),
  op: Type.Optional(Type.Enum(['add', 'remove'])),
  state: maybe(Type.Enum(['STAGED', 'ACTIVATED'])),
  manager: Type.Optional(
    Type.Union([Type.String({ pattern: '^[0-9a-f]+$' }), Type.Literal(''), Type.Null()]),
  ),
  sudo: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false'), Type.Null()]),
  ),
  attributes: maybe(
    Type.Object({ groups: maybe(Type.Array(Type.Object({ id: Type.Integer() }))) }),
  ),
  nothing: Type.Optional(Type.Null()),
  strict: Type.Optional(Type.Object({}, { additionalProperties: false })),
  one: Type.Optional(Type.Union([Type.Object({ id: Type.Integer() }), Type.Array(Type.Any())])),
})
const validate = new Ajv({ strict: false }).compile(Body)

const cases: [unknown, string, string][] = [
  [{}, "body must have required property 'name'", 'body.name'],
  [[], 'body must be object', 'body'],
  [{ name: 'x', op: 'join' }, 'body/op must be one of add, remove', 'body.op'],
  [{ name: 'x', state: 'GONE' }, 'body/state must be one of STAGED, ACTIVATED', 'body.state'],
  [{ name: 'x', manager: '!' }, 'body/manager must match pattern "^[0-9a-f]+$"', 'body.manager'],
  [
    { name: 'x', sudo: 'maybe' },
    'body/sudo must be boolean or be "true" or be "false"',
    'body.sudo',
  ],
  [{ name: 'x', attributes: 7 }, 'body/attributes must be object', 'body.attributes'],
  [
    { name: 'x', attributes: { groups: [{ id: 'y' }] } },
    'body/attributes/groups/0/id must be integer',
    'body.attributes.groups.0.id',
  ],
  [{ name: 'x', one: { id: 'y' } }, 'body/one/id must be integer', 'body.one.id'],
  [{ name: 'x', one: 7 }, 'body/one must be object or be array', 'body.one'],
  [{ name: 'x', strict: { typo: 1 } }, 'body/strict must not have "typo"', 'body.strict.typo'],
  [{ name: 'x', nothing: 1 }, 'body/nothing must be null', 'body.nothing'],
]

for (const [body, message, field] of cases)
  test(`described as: ${message}`, () => {
    assert.equal(validate(body), false)
    const described = describeViolations(validate.errors!, 'body')
    assert.equal(described.message, message)
    assert.deepEqual(
      described.fields.map((one) => one.field),
      [field],
    )
  })
