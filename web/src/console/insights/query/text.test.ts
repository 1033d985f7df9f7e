import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromJson, groupOf, type Scalar, type Term, toJson } from './term.ts'
import { expectedAtEnd, parseQuery, printQuery, QueryError, withCondition } from './text.ts'

const CASES: [text: string, json: unknown, printed?: string][] = [
  ['', undefined],
  ['event_type = sso_auth', { and: [{ event_type: 'sso_auth' }] }],
  ['event_type:sso_auth', { and: [{ event_type: 'sso_auth' }] }, 'event_type = sso_auth'],
  [
    'success = false and client_ip in (10.0.0.1, fe80::1)',
    { and: [{ success: false }, { client_ip: ['10.0.0.1', 'fe80::1'] }] },
  ],
  [
    'success = false geoip.latitude >= 51.5',
    { and: [{ success: false }, { field: 'geoip.latitude', operator: 'gte', value: 51.5 }] },
    'success = false and geoip.latitude >= 51.5',
  ],
  [
    'a = 1 and (b = 2 or c = "3") or not (d = x or e = y)',
    {
      or: [{ and: [{ a: 1 }, { or: [{ b: 2 }, { c: '3' }] }] }, { not: [{ d: 'x' }, { e: 'y' }] }],
    },
  ],
  [
    'a != 1 and a != 2',
    {
      and: [
        { field: 'a', operator: 'ne', value: 1 },
        { and: [{ field: 'a', operator: 'ne', value: 2 }] },
      ],
    },
  ],
  [
    'timestamp before 2026-01-01T10:00:00Z and message CONTAINS "said \\"no, (thanks)\\""',
    {
      and: [
        { field: 'timestamp', operator: 'before', value: '2026-01-01T10:00:00Z' },
        { field: 'message', operator: 'contains', value: 'said "no, (thanks)"' },
      ],
    },
    'timestamp before 2026-01-01T10:00:00Z and message contains "said \\"no, (thanks)\\""',
  ],
  ['not not a = b', { not: [{ not: [{ a: 'b' }] }] }],
  ['"and" = or', { and: [{ field: 'and', operator: 'eq', value: 'or' }] }],
]

for (const [text, json, printed = text] of CASES)
  test(`reads and writes: ${text || 'nothing'}`, () => {
    assert.deepEqual(toJson(parseQuery(text)), json)
    assert.equal(printQuery(fromJson(json)), printed)
  })

test('says where a text is wrong', () => {
  const wrong: [string, number, RegExp][] = [
    ['event_type', 10, /operator after event_type/],
    ['a = ', 4, /Expected a value/],
    ['(a = b', 6, /Expected \)/],
    ['a = b )', 6, /end/],
    ['a in b', 5, /list/],
    ['a in (b c)', 8, /, or \)/],
    ['a = b or', 8, /field/],
    ['and', 0, /field/],
    ['a = "\\x"', 4, /quoted/],
  ]
  for (const [text, at, message] of wrong)
    assert.throws(
      () => parseQuery(text),
      (error: unknown) =>
        error instanceof QueryError && error.at === at && message.test(error.message),
      text,
    )
})

test('knows what comes next, for completion', () => {
  const cases: [string, ReturnType<typeof expectedAtEnd>][] = [
    ['', { kind: 'field', from: 0 }],
    ['event_ty', { kind: 'field', from: 0 }],
    ['event_type ', { kind: 'operator', from: 11, field: 'event_type' }],
    ['event_type con', { kind: 'operator', from: 11, field: 'event_type' }],
    ['event_type =', { kind: 'value', from: 12, field: 'event_type' }],
    ['event_type = sso', { kind: 'value', from: 13, field: 'event_type' }],
    ['event_type = "sso', { kind: 'value', from: 13, field: 'event_type' }],
    ['event_type in (a, b', { kind: 'value', from: 18, field: 'event_type' }],
    ['event_type = sso ', { kind: 'connective', from: 17 }],
    ['a = b and suc', { kind: 'field', from: 10 }],
    ['a = b and (', { kind: 'field', from: 11 }],
    ['not ', { kind: 'field', from: 4 }],
  ]
  for (const [text, expected] of cases) assert.deepEqual(expectedAtEnd(text), expected, text)
})

test('reads what the API accepts beyond the standard form', () => {
  const or = { type: 'or', terms: [] as Term[] }
  or.terms = [
    { type: 'leaf', field: 'a', operator: 'eq', value: 1 },
    { type: 'leaf', field: 'b', operator: 'in', value: ['x'] },
  ]
  assert.deepEqual(fromJson({ or: { a: 1, b: ['x'] }, and: [] }), or)
  assert.throws(() => fromJson({ a: 1 }), /"and", "or" or "not"/)
  assert.throws(() => fromJson({ and: [{ a: { b: 1 } }] }), /value of a/)
})

test('adds a condition, or turns one round', () => {
  const leaf = { type: 'leaf', field: 'success', operator: 'ne', value: false } as const
  assert.equal(withCondition('', leaf), 'success != false')
  assert.equal(withCondition('success = false and a = b', leaf), 'a = b and success != false')
  assert.equal(withCondition('a = b or c = d', leaf), '(a = b or c = d) and success != false')
})

/** A linear congruential generator: the same cases in every run. */
function randomTerms(seed: number) {
  let state = seed
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const TEXTS = ['a', 'and', 'x y', '"', '\\', '(', ',', 'true', '12', '-0', '1e9', 'é', '', ':=<!']
  const FIELDS = ['event_type', 'resource.id', '@version', 'not', 'value', 'odd field', 'a:b', '"']
  const scalar = (): Scalar => pick<Scalar>([...TEXTS, true, false, 0, -1.5, 1e21])
  const term = (depth: number): Term => {
    const kind = depth > 3 ? 0 : below(6)
    if (kind < 3) {
      const operator = pick(['eq', 'ne', 'lt', 'gte', 'contains', 'in', 'not_in', 'before'])
      const several = operator === 'in' || operator === 'not_in'
      const value = several ? [scalar(), scalar()].slice(below(2)) : scalar()
      return { type: 'leaf', field: pick(FIELDS), operator, value }
    }
    if (kind === 3) return { type: 'not', term: term(depth + 1) }
    const terms = Array.from({ length: 1 + below(3) }, () => term(depth + 1))
    return groupOf(kind === 4 ? 'and' : 'or', terms)!
  }
  return () => term(0)
}

test('any term survives the way through text and through JSON', () => {
  const next = randomTerms(7)
  for (let run = 0; run < 5000; run++) {
    const term = next()
    const text = printQuery(term)
    assert.deepEqual(parseQuery(text), term, text)
    assert.deepEqual(fromJson(JSON.parse(JSON.stringify(toJson(term)))), term, text)
  }
})
