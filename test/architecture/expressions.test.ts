import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slowExpressions } from '../../scripts/expressions.ts'

test('an expression whose time may grow faster than its text is refused', () => {
  const slow = [
    String.raw`const x = /^\s*[^\r\n]+(?=[\r\n])/`,
    String.raw`const x = /.*\s*x/`,
    'const x = /^(a+)+$/',
    String.raw`text.replace(/\s+$/, '')`,
    "Type.String({ pattern: '^[a-z]*[a-z0-9]*$' })",
    String.raw`new RegExp('^\\d*\\d*$')`,
    'new RegExp(text)',
    'const x = /a+$/ // bounded:',
  ]
  for (const code of slow) assert.equal(slowExpressions('a.ts', `\n${code}\n`).length, 1, code)
  assert.match(slowExpressions('a.ts', `\n${slow[2]}`)[0]!, /^a\.ts:2 .* is slow where many of a /)
})

test('an expression in linear time, or with a reason, is not', () => {
  const good = [
    'const x = /^[a-z]+(?:-[a-z]+)*$/',
    "Type.String({ pattern: '^[a-z]*$' })",
    'const x = /a+$/ // bounded: at most 64 characters',
    'const text = "/a+$/" // /a+$/',
  ]
  for (const code of good) assert.deepEqual(slowExpressions('a.ts', code), [], code)
})
