import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { AppError } from '../errors.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { checkRegex } from './regex.ts'

const refusalOf = (pattern: string): string => {
  try {
    checkRegex('username', pattern, DEFAULT_LIMITS.list)
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.reason, 'unsafe_regex')
    assert.match(error.message, /^filter: \$regex of username /)
    return error.message
  }
}

test('patterns of real clients are accepted', () => {
  for (const pattern of [
    '',
    '(?i)foo.*',
    '(?i)^ALPHA$',
    '(?i)(?:ada|grace)@example\\.com',
    '^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$',
    '^(ada|grace|edsger)+$',
    '([a-z]+\\.)?example',
    '[0-9a-f]{24}',
    '\\d{3}-\\d{4}',
    '\\mword\\M',
    '[]\\1]+',
    '[^]()*+]*',
    '[[:alpha:]()]+(x)?',
    'a+?b*?',
    '.*.*x',
    'x{',
    'x{,5}',
    '\\(\\)\\\\',
    'straße|ΑΒΓ',
  ])
    assert.equal(refusalOf(pattern), 'accepted', pattern)
})

test('constructs that cause backtracking are rejected by name', () => {
  const cases: [string, RegExp][] = [
    ['(a)\\1', /back-reference/],
    ['(?i)(.*)(.*)\\2$', /back-reference/],
    ['[]](a)\\1', /back-reference/],
    ['[[:alpha:]](a)\\1', /back-reference/],
    ['(?=a)', /group/],
    ['a(?!b)', /group/],
    ['(?<=a)b', /group/],
    ['(?<!a)b', /group/],
    ['(?#why)', /group/],
    ['(?x)a', /group/],
    ['(?b)\\(a\\)', /group/],
    ['***=a', /\*\*\*/],
    ['(a+)+', /nests repetitions/],
    ['(a*)*b', /nests repetitions/],
    ['((a|b+)c)*', /nests repetitions/],
    ['(?:a{2}){3}', /nests repetitions/],
    ['(([a-z]+)?x)*', /nests repetitions/],
    ['a{101}', /more than 100/],
    ['a{1,255}', /more than 100/],
    [`(${'a'.repeat(50)}){100}`, /too large/],
    ['a**', /two quantifiers/],
    ['a{2}{3}', /two quantifiers/],
    ['a'.repeat(513), /512 characters/],
  ]
  for (const [pattern, message] of cases) assert.match(refusalOf(pattern), message, pattern)
})

const app = await startApp()

test('over the API: 400 names the construct, and other patterns work', async () => {
  const org = await app.newOrganization()
  // A name that such patterns are slow on.
  const username = 'a'.repeat(60)
  await org.post('/api/systemusers', { username, email: 'a@example.com' })
  const search = (pattern: string) =>
    org.post('/api/search/systemusers', { filter: { username: { $regex: pattern } } })
  const refused = await search('^(a*)(a*)(a*)(a*)\\1\\2\\3\\4b$')
  assert.equal(refused.statusCode, 400)
  assert.match(refused.json().message, /back-reference/)
  const broken = await search('a(')
  assert.equal(broken.statusCode, 400)
  assert.match(broken.json().message, /not a valid regular expression/)
  const good = await search('(?i)^A+$')
  assert.equal(good.json().totalCount, 1)
})
