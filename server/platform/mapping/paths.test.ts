import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../../test/insights/random.ts'
import { closeGaps, parsePath, readPath, writePath } from './paths.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const record = {
  username: 'ada',
  name: { givenName: 'Ada' },
  'First Name': 'Ada L.',
  'home.city': 'London',
  'wd:Worker_ID': 17,
  emails: [
    { type: 'home', value: 'h@x.example' },
    { type: 'Work', value: 'w@x.example', primary: true, rank: 2 },
  ],
  attributes: [
    { name: 'badge', value: '77' },
    { name: 'Badge', value: '78' },
    { name: 'cost center', value: 'R&D' },
  ],
  [ENTERPRISE]: { department: 'Mathematics', manager: { value: 'm1' } },
}

for (const [path, value] of [
  ['username', 'ada'],
  ['name.givenName', 'Ada'],
  ['name.familyName', undefined],
  ['username.length', undefined],
  ['First Name', 'Ada L.'],
  ['["home.city"]', 'London'],
  ['wd:Worker_ID', 17],
  ['emails[0].value', 'h@x.example'],
  ['emails[7].value', undefined],
  ['emails.value', undefined],
  ['emails.length', undefined],
  ['username[0]', undefined],
  ['emails[type eq "work"].value', 'w@x.example'],
  ['emails[primary eq true].value', 'w@x.example'],
  ['emails[rank eq 2].value', 'w@x.example'],
  ['emails[type eq "other"].value', undefined],
  ['attributes.badge', '77'],
  ['attributes.Badge', '78'],
  ['attributes.BADGE', undefined],
  ['attributes["cost center"]', 'R&D'],
  ['attributes.cost center', 'R&D'],
  ['attributes[name eq "cost center"].value', 'R&D'],
  [`${ENTERPRISE}:department`, 'Mathematics'],
  [`${ENTERPRISE}:manager.value`, 'm1'],
  ['constructor', undefined],
  ['__proto__.toString', undefined],
  ['name.constructor.name', undefined],
  ['emails.constructor', undefined],
  ['toString', undefined],
] as const)
  test(`reads ${path}`, () => assert.deepEqual(readPath(parsePath(path)!, record), value))

test('custom attributes may also be an object, with objects inside', () => {
  const foreign = { attributes: { badge: '77', address: { city: 'London' } } }
  assert.equal(readPath(parsePath('attributes.badge')!, foreign), '77')
  assert.equal(readPath(parsePath('attributes.address.city')!, foreign), 'London')
  assert.equal(readPath(parsePath('attributes.constructor')!, foreign), undefined)
})

test('records of any type are read without an error', () => {
  const path = parsePath('a[type eq "work"].b')!
  for (const value of [undefined, null, 7, 'a', [], () => 1, { a: null }, { a: [null, 1, []] }])
    assert.equal(readPath(path, value), undefined)
})

for (const text of [
  '',
  '.',
  'a.',
  '.a',
  'a..b',
  'a b. c',
  ' a',
  'a ',
  'a[',
  'a[]',
  'a[-1]',
  'a[100]',
  'a[x]',
  'a["b',
  'a["\\x"]',
  'a[""]',
  'a[type eq work]',
  'a[type ne "work"]',
  'a[type eq "work" and b eq "c"]',
  'a[type eq "work"]b',
  '[0].a',
  '[type eq "work"].a',
  'a\u0000b',
  'a.b.c.d.e.f.g.h.i.j.k',
])
  test(`${JSON.stringify(text)} is not a path`, () => assert.equal(parsePath(text), undefined))

for (const [paths, result] of [
  [{ userName: 'ada' }, { userName: 'ada' }],
  [{ 'name.a': 1, 'name.b': 2 }, { name: { a: 1, b: 2 } }],
  [
    { 'emails[type eq "work"].value': 'w', 'emails[type eq "Work"].primary': true },
    { emails: [{ type: 'work', value: 'w', primary: true }] },
  ],
  [
    { 'emails[type eq "work"].value': 'w', 'emails[type eq "home"].value': 'h' },
    {
      emails: [
        { type: 'work', value: 'w' },
        { type: 'home', value: 'h' },
      ],
    },
  ],
  [{ 'a[1].b': 2, 'a[0].b': 1 }, { a: [{ b: 1 }, { b: 2 }] }],
  [{ 'a[3]': 'd', 'a[1]': 'b' }, { a: ['b', 'd'] }],
  [
    { 'attributes.badge': '77', 'attributes["a.b"]': 'c' },
    {
      attributes: [
        { name: 'badge', value: '77' },
        { name: 'a.b', value: 'c' },
      ],
    },
  ],
  [
    { [`${ENTERPRISE}:department`]: 'M', [`${ENTERPRISE}:manager.value`]: 'm1' },
    { [ENTERPRISE]: { department: 'M', manager: { value: 'm1' } } },
  ],
  [{ 'toString.valueOf': 1 }, { toString: { valueOf: 1 } }],
] as [Record<string, unknown>, object][])
  test(`writes ${Object.keys(paths).join(', ')}`, () => {
    const written = {}
    for (const [path, value] of Object.entries(paths)) writePath(parsePath(path)!, written, value)
    closeGaps(written)
    assert.deepEqual(written, result)
  })

test('a value that was written at a path is read at that path', () => {
  const random = seeded(7)
  const names = ['a', 'First Name', 'attributes', 'x:y', 'name', 'value', 'toString', 'ß']
  const step = () =>
    random.pick([
      () => `.${random.pick(names)}`,
      () => `[${JSON.stringify(random.pick([...names, 'a.b', '"', ']', '\\']))}]`,
      () => `[${random.below(100)}]`,
      () => `[type eq ${random.pick(['"work"', '"a\\"]b"', '""', 'true', '-1.5'])}].of`,
    ])()
  for (let round = 0; round < 2000; round++) {
    const urn = random.chance(0.2) ? `${ENTERPRISE}:` : ''
    const text = `${urn}${random.pick(names.filter((name) => !urn || !name.includes(':')))}${random.times(4, step).join('')}`
    const path = parsePath(text)
    assert.ok(path, text)
    const written = {}
    writePath(path, written, round)
    assert.equal(readPath(path, written), round, text)
    assert.equal(readPath(path, JSON.parse(JSON.stringify(written))), round, text)
  }
})
