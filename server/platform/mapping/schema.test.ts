import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { collectOperations, openapi } from '../http/openapi.ts'
import { registerSchemas } from '../http/schemas.ts'
import { compileMapping, Mapping, MappingPreviewRow } from './index.ts'

// A route that takes a mapping, as the slices will have it.
const app = Fastify()
registerSchemas(app)
const operations = collectOperations(app)
const Body = Type.Object({ mapping: Mapping }, { title: 'Body' })
const Rows = Type.Array(MappingPreviewRow)
app.post('/api/v2/example', { schema: { body: Body, response: { 200: Body } } }, ({ body }) => body)
app.post('/api/v2/preview', { schema: { body: Body, response: { 200: Rows } } }, ({ body }) =>
  compileMapping((body as { mapping: Mapping }).mapping).preview({ a: ['x', 1] }, { groups: [] }),
)

const mapping: Mapping = [
  {
    target: 'x',
    value: { first: [{ join: [{ source: 'a' }, { constant: 1 }], separator: '-' }] },
    when: { not: { field: 'b', operator: 'in', value: ['c', 1, true] } },
    default: 0,
  },
]
const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload })

test('a mapping passes a route unchanged, at every level', async () => {
  const res = await post('/api/v2/example', { mapping })
  assert.equal(res.statusCode, 200)
  assert.deepEqual(res.json(), { mapping })
})

test('a preview passes a route', async () => {
  const res = await post('/api/v2/preview', { mapping })
  assert.deepEqual(res.json(), [
    {
      target: 'x',
      sources: [
        { path: 'a', value: ['x', 1] },
        { path: 'b', value: null },
      ],
      value: 'x-1-1',
      missing: false,
      skipped: false,
    },
  ])
})

test('a route refuses what is not a list of rules', async () => {
  for (const wrong of [{}, [{}], [{ target: 'x', value: 'a' }], [{ ...mapping[0], code: '1' }]])
    assert.equal((await post('/api/v2/example', { mapping: wrong })).statusCode, 400)
})

test('OpenAPI describes all levels', async () => {
  const document = openapi(operations, 'management')
  const { errors } = await new Validator().validate(document)
  assert.equal(errors, undefined)
  const { schemas } = document.components as { schemas: Record<string, unknown> }
  assert.deepEqual(Object.keys(schemas), [
    'Body',
    'Mapping',
    'MappingCondition',
    'MappingExpression',
    'MappingPreviewRow',
    'MappingRule',
  ])
  assert.deepEqual(schemas.Mapping, {
    type: 'array',
    items: { $ref: '#/components/schemas/MappingRule' },
    maxItems: 200,
  })
  const { anyOf } = schemas.MappingExpression as { anyOf: { properties: object }[] }
  assert.deepEqual(anyOf.find(({ properties }) => 'lower' in properties)?.properties, {
    lower: { $ref: '#/components/schemas/MappingExpression' },
  })
})
