import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationByValue, operationsByPath, wholeResource } from './difference.ts'
import { SCHEMAS } from './types.ts'

const enterprise = SCHEMAS.EnterpriseUser

const before = {
  schemas: [SCHEMAS.User],
  userName: 'ada',
  title: 'Analyst',
  nickName: 'A',
  name: { givenName: 'Ada', familyName: 'Byron', middleName: 'K' },
  emails: [{ value: 'ada@a.test', type: 'work' }],
  [enterprise]: { department: 'Engines', costCenter: '7' },
}
const after = {
  schemas: [SCHEMAS.User, enterprise],
  userName: 'ada',
  title: null,
  nickName: 'A',
  name: { familyName: 'Lovelace', givenName: 'Ada' },
  emails: [{ value: 'ada@b.test', type: 'work' }],
  photos: [],
  [enterprise]: { department: 'Engines', manager: { value: '42' } },
}

test('each changed attribute is one operation with a path', () => {
  assert.deepEqual(operationsByPath({ before, after }), [
    { op: 'remove', path: 'title' },
    { op: 'replace', path: 'name.familyName', value: 'Lovelace' },
    { op: 'remove', path: 'name.middleName' },
    { op: 'replace', path: 'emails', value: [{ value: 'ada@b.test', type: 'work' }] },
    { op: 'remove', path: `${enterprise}:costCenter` },
    { op: 'replace', path: `${enterprise}:manager`, value: { value: '42' } },
  ])
})

test('the order of keys is no change, and without a previous state all attributes are written', () => {
  const name = { familyName: 'Byron', givenName: 'Ada' }
  assert.deepEqual(operationsByPath({ before: { name }, after: { name: { ...name } } }), [])
  assert.deepEqual(operationsByPath({ after: { name, [enterprise]: { department: 'Engines' } } }), [
    { op: 'replace', path: 'name', value: name },
    { op: 'replace', path: `${enterprise}:department`, value: 'Engines' },
  ])
})

test('without a path, one value holds the changed attributes as a whole', () => {
  const more = { ...before, name: { ...before.name, givenName: 'Augusta' }, locale: 'en' }
  assert.deepEqual(operationByValue({ before, after: more }), {
    op: 'replace',
    value: { name: { givenName: 'Augusta', familyName: 'Byron', middleName: 'K' }, locale: 'en' },
  })
})

test('the whole resource keeps attributes that are not ours', () => {
  const custom = 'urn:example:custom'
  const remote = {
    ...before,
    id: 'u1',
    meta: { version: 'W/"1"' },
    groups: [{ value: 'g1' }],
    locale: 'en-GB',
    name: { ...before.name, honorificPrefix: 'Lady' },
    [custom]: { Colour: 'red', size: 3 },
  }
  const change = { before, after: { ...after, [custom]: { colour: 'blue' } } }
  assert.deepEqual(wholeResource(remote, change), {
    schemas: [SCHEMAS.User, enterprise],
    id: 'u1',
    userName: 'ada',
    nickName: 'A',
    locale: 'en-GB',
    name: { givenName: 'Ada', familyName: 'Lovelace', honorificPrefix: 'Lady' },
    emails: [{ value: 'ada@b.test', type: 'work' }],
    [enterprise]: { department: 'Engines', manager: { value: '42' } },
    [custom]: { Colour: 'blue', size: 3 },
  })
})
