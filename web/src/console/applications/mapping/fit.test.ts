import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitted, unread } from './fit.ts'
import type { Mapping } from './rules.ts'

const source = (path: string) => ({ source: path })
const guess = [
  { target: 'email', value: { first: ['email', 'Mail', 'emails[0].value'].map(source) } },
  {
    target: 'username',
    value: {
      first: [
        { first: [source('login')] },
        { lower: { split: { first: ['email', 'Mail'].map(source) }, separator: '@', index: 0 } },
      ],
    },
  },
  { target: 'state', value: { map: { first: ['status', 'active'].map(source) }, values: {} } },
  { target: 'company', value: { constant: 'Kestrel' } },
] as unknown as Mapping

test('a mapping keeps the names that the source has', () => {
  assert.deepEqual(fitted(guess, ['Mail', 'Team']), [
    { target: 'email', value: source('Mail') },
    { target: 'username', value: { lower: { split: source('Mail'), separator: '@', index: 0 } } },
    { target: 'company', value: { constant: 'Kestrel' } },
  ])
})

test('an element of a list is there by whatever it is chosen', () => {
  const one = [{ target: 'email', value: source('emails[type eq "work"].value') }] as Mapping
  assert.deepEqual(fitted(one, ['emails[0].value']), one)
  assert.deepEqual(unread(one, ['emails[0].value', 'id']), ['id'])
})

test('what is no guess, or required, stays: the source lacks it', () => {
  const own = [{ target: 'department', value: source('Team') }] as Mapping
  assert.deepEqual(fitted([...guess, ...own] as Mapping, ['Mail']).at(-1), own[0])
  const required = [{ ...guess[0]!, required: true }] as Mapping
  assert.deepEqual(fitted([...required, ...own] as Mapping, ['Adresse']), [...required, ...own])
})

test('a mapping that fits nowhere stays as it is', () => {
  assert.deepEqual(fitted([guess[0]!] as Mapping, ['Adresse']), [guess[0]])
})

test('fields that no rule reads are named', () => {
  assert.deepEqual(unread(guess, ['Mail', 'login', 'Team']), ['Team'])
})
