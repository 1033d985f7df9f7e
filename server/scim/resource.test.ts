import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical, readResource } from './resource.ts'
import { SCHEMAS } from './types.ts'

test('attribute names are read in any case', () => {
  const enterprise = SCHEMAS.EnterpriseUser
  const value =
    JSON.parse(`{"ID":"1","username":"ada","Active":"False","EMAILS":[{"Value":"a@b.test"}],
    "${enterprise.toLowerCase()}":{"Department":"Engines"},"myOwn":{"Value":1},"__proto__":{"id":"2"}}`)
  const read = readResource(canonical(value))!
  assert.equal(read.id, '1')
  assert.equal(read.userName, 'ada')
  assert.equal(read.active, false)
  assert.deepEqual(read.emails, [{ value: 'a@b.test' }])
  assert.deepEqual(read[enterprise], { department: 'Engines' })
  assert.deepEqual(read.myOwn, { value: 1 })
})

test('a resource needs an id that fits into a URL', () => {
  for (const id of ['', null, undefined, {}, true, 1.5, '.', '..', 'x'.repeat(1001), '\ud800'])
    assert.equal(readResource({ id }), undefined, String(id))
  for (const id of ['x', '...', 'a/b', 'é ?#', 'x'.repeat(1000), '0'])
    assert.equal(readResource({ id })?.id, id)
  assert.equal(readResource({ id: 42 })?.id, '42')
  assert.equal(readResource([]), undefined)
})

test('attributes that the client reads have their types', () => {
  const odd = {
    id: '1',
    schemas: 'x',
    externalId: 7,
    userName: null,
    displayName: {},
    active: 'maybe',
    title: 1,
  }
  assert.deepEqual(readResource(odd), { id: '1', externalId: '7', title: 1 })
})

test('deep nesting is refused', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  assert.deepEqual(canonical(nested(30)), nested(30))
  assert.throws(() => canonical(nested(100_000)), RangeError)
})
