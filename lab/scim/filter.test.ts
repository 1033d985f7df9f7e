import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScimError } from './errors.ts'
import { matches, parseFilter } from './filter.ts'
import { TYPES } from './schemas.ts'

const { attributes } = TYPES.Users
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const ada = {
  id: 'A1',
  userName: 'Ada@example.com',
  externalId: 'E1',
  active: true,
  name: { familyName: 'O"Malley' },
  emails: [
    { type: 'work', value: 'ada@work.example' },
    { type: 'home', value: 'ada@home.example' },
  ],
  meta: { lastModified: '2026-05-13T04:42:34.000Z' },
  [ENTERPRISE]: { department: 'Engines', manager: { value: 'M1' } },
}

const cases: [filter: string, found: boolean][] = [
  ['userName eq "ada@EXAMPLE.com"', true],
  ['username Eq "ada@example.com"', true],
  ['userName ne "ada@example.com"', false],
  ['externalId eq "E1"', true],
  ['externalId eq "e1"', false],
  ['active eq true', true],
  ['active eq "true"', false],
  ['title pr', false],
  ['not (title pr)', true],
  ['name.familyName co "\\"mal"', true],
  ['name.familyName sw "O" and userName ew ".com"', true],
  ['title pr or emails.type eq "home" and active eq false', false],
  ['(title pr or emails.type eq "home") and active eq true', true],
  ['emails eq "ada@home.example"', true],
  ['emails[type eq "work" and value co "work"]', true],
  ['emails[type eq "work" and value co "home"]', false],
  ['emails.type eq "work" and emails.value co "home"', true],
  ['meta.lastModified gt "2011-05-13T04:42:34Z"', true],
  ['meta.lastModified le "2011-05-13T04:42:34Z"', false],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada"', true],
  [`${ENTERPRISE}:department eq "engines"`, true],
  [`${ENTERPRISE}:manager.value eq "M1"`, true],
]
for (const [filter, found] of cases)
  test(`${filter} is ${found}`, () => {
    assert.equal(matches(parseFilter(filter, attributes), ada), found)
  })

const wrong = [
  ...['', 'userName', 'userName eq', 'userName eq x', 'userName is "x"', 'shoeSize eq 42'],
  ...['userName eq "x', '(userName pr', 'userName pr)', 'userName pr and', 'not userName pr'],
  ...['userName toString "x"', 'emails[shoeSize pr]', 'emails[type pr', '__proto__ pr'],
  `userName eq "${'x'.repeat(2000)}"`,
]
for (const filter of wrong)
  test(`${filter.slice(0, 40)} is no filter`, () => {
    assert.throws(
      () => parseFilter(filter, attributes),
      (error) => error instanceof ScimError && error.scimType === 'invalidFilter',
    )
  })
