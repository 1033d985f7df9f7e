import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PasswordPolicy, violations } from './policy.ts'

const strict: PasswordPolicy = {
  disallowCommonlyUsedPasswords: true,
  disallowSequentialOrRepetitiveChars: true,
  enableMinLength: true,
  minLength: 12,
  needsLowercase: true,
  needsNumeric: true,
  needsSymbolic: true,
  needsUppercase: true,
}

test('each rule is named by its code', () => {
  const cases: [string, string[]][] = [
    ['Tangled-Orchard-58', []],
    ['Sh0rt!', ['minLength']],
    ['TANGLED-ORCHARD-58', ['lowercase']],
    ['tangled-orchard-58', ['uppercase']],
    ['Tangled-Orchard-FE', ['number']],
    ['TangledOrchard58', ['specialCharacter']],
    ['Tangled-mei.chen-58', ['username']],
    ['Tangled-Orchard-1234', ['sequentialOrRepetitive']],
    ['Tangled-Orchard-9888877', ['sequentialOrRepetitive']],
    ['P@ssw0rd-2026!', ['commonPassword']],
    ['Welcome-Welcome-77', ['commonPassword']],
    ['abc', ['minLength', 'uppercase', 'number', 'specialCharacter']],
    [`Tangled-58-${'xy'.repeat(130)}`, ['maxLength']],
  ]
  for (const [password, expected] of cases)
    assert.deepEqual(violations(strict, password, 'Mei.Chen'), expected, password)
})

test('a disabled rule is not checked', () => {
  assert.deepEqual(violations({ allowUsernameSubstring: true }, 'mei', 'mei'), [])
})
