import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScimPatchOperation, type ScimResource, scimPatch } from 'scim-patch'
import { seeded } from '../../test/insights/random.ts'
import { ScimError } from './errors.ts'
import { applyPatch, type Operation } from './patch.ts'
import type { Json } from './read.ts'
import { type Endpoint, TYPES } from './schemas.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** An independent implementation. It keeps empty objects and arrays, which mean the same as none. */
const reference = (resource: Json, operation: Operation): Json =>
  prune(
    scimPatch(resource as unknown as ScimResource, [operation as ScimPatchOperation], {
      mutateDocument: false,
      treatMissingAsAdd: false,
    }) as unknown as Json,
  )
const prune = (object: Json): Json =>
  Object.fromEntries(
    Object.entries(object)
      .map(([name, value]) => [
        name,
        typeof value === 'object' && !Array.isArray(value) ? prune(value as Json) : value,
      ])
      .filter(([, value]) => typeof value !== 'object' || Object.keys(value!).length > 0),
  )

type Random = ReturnType<typeof seeded>
const email = ({ pick, below }: Random) => ({
  type: pick(['work', 'home', 'other']),
  value: `${below(4)}@example.com`,
})
const member = ({ below }: Random) => ({ value: `m${below(12)}` })
const some = <T>(random: Random, make: (random: Random) => T): T[] => {
  const values = Array.from({ length: 1 + random.below(3) }, () => make(random))
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

type Make = (random: Random, resource: Json) => Operation

/** The other implementation refuses to select from an attribute without values. */
const ifAny =
  (name: string, make: Make): Make =>
  (random, resource) =>
    resource[name] ? make(random, resource) : { op: 'remove', path: name }

/** Only forms that the RFC defines: on others the implementations may differ. */
const OPERATIONS: Record<Endpoint, Make[]> = {
  Users: [
    (random) => ({ op: 'add', path: 'title', value: `t${random.below(9)}` }),
    (random) => ({ op: 'replace', path: 'title', value: `t${random.below(9)}` }),
    () => ({ op: 'remove', path: 'title' }),
    (random) => ({ op: 'replace', path: 'name.givenName', value: `g${random.below(9)}` }),
    (random) => ({ op: 'add', path: 'name', value: { familyName: `f${random.below(9)}` } }),
    (random) => ({ op: 'replace', path: 'name', value: { middleName: `m${random.below(9)}` } }),
    () => ({ op: 'remove', path: 'name.familyName' }),
    () => ({ op: 'remove', path: 'name' }),
    (random) => ({ op: 'add', value: { nickName: `n${random.below(9)}`, active: true } }),
    (random) => ({ op: 'replace', value: { nickName: `n${random.below(9)}`, active: false } }),
    (random) => ({ op: 'add', path: 'emails', value: some(random, email) }),
    (random) => ({ op: 'replace', path: 'emails', value: some(random, email) }),
    (random) => ({ op: 'replace', value: { emails: some(random, email) } }),
    ifAny('emails', (random) => ({
      op: 'remove',
      path: `emails[type eq "${email(random).type}"]`,
    })),
    ifAny('emails', (random) => ({
      op: 'remove',
      path: `emails[value co "${random.below(4)}" and type ne "work"]`,
    })),
    (random) => ({
      op: random.pick(['add', 'replace']),
      path: `emails[type eq "${email(random).type}"].value`,
      value: `${random.below(4)}@example.org`,
    }),
    () => ({ op: 'remove', path: 'emails' }),
    (random) => ({ op: 'add', path: `${ENTERPRISE}:department`, value: `d${random.below(9)}` }),
    (random) => ({ op: 'add', path: `${ENTERPRISE}:manager.value`, value: `m${random.below(9)}` }),
    () => ({ op: 'remove', path: `${ENTERPRISE}:department` }),
  ],
  Groups: [
    (random) => ({ op: 'replace', path: 'displayName', value: `g${random.below(9)}` }),
    (random) => ({ op: 'add', path: 'members', value: some(random, member) }),
    (random) => ({ op: 'add', path: 'members', value: some(random, member) }),
    (random) => ({ op: 'replace', path: 'members', value: some(random, member) }),
    ifAny('members', (random) => ({
      op: 'remove',
      path: `members[value eq "${member(random).value}"]`,
    })),
    ifAny('members', (random) => ({ op: 'remove', path: 'members', value: some(random, member) })),
    () => ({ op: 'remove', path: 'members' }),
  ],
}

const START: Record<Endpoint, Json> = {
  Users: { userName: 'ada' },
  Groups: { displayName: 'Engineers' },
}
const SEQUENCES = 300
const LENGTH = 30

for (const endpoint of ['Users', 'Groups'] as const)
  test(`PATCH of ${endpoint} agrees with an independent implementation`, () => {
    let [applied, refused] = [0, 0]
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const random = seeded(seed)
      let resource = START[endpoint]
      for (let step = 0; step < LENGTH; step++) {
        const operation = random.pick(OPERATIONS[endpoint])(random, resource)
        const name = `seed ${seed}, step ${step}: ${JSON.stringify({ resource, operation })}`
        let expected: Json | undefined
        try {
          expected = reference(resource, operation)
        } catch {}
        if (expected === undefined) {
          refused++
          assert.throws(() => applyPatch(TYPES[endpoint], resource, [operation]), ScimError, name)
        } else {
          applied++
          resource = applyPatch(TYPES[endpoint], resource, [operation])
          assert.deepEqual(resource, expected, name)
        }
      }
    }
    assert.ok(applied > 5000, `${applied}`)
    assert.ok(endpoint === 'Groups' || refused > 100, `${refused}`)
  })

const work = { type: 'work', value: 'w@example.com', primary: true }
const home = { type: 'home', value: 'h@example.com' }

/** Where the RFC decides otherwise, or the other implementation knows no schema. */
const decided: [name: string, before: Json, operation: Operation, after: Json][] = [
  [
    'a complex attribute without a path is merged',
    { name: { givenName: 'Ada' } },
    { op: 'replace', value: { name: { familyName: 'Lovelace' } } },
    { name: { givenName: 'Ada', familyName: 'Lovelace' } },
  ],
  [
    'replace of a selected value replaces all of it',
    { emails: [work, home] },
    { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'new@example.com' } },
    { emails: [work, { value: 'new@example.com' }] },
  ],
  [
    'a new primary value demotes the old one',
    { emails: [work, home] },
    { op: 'replace', path: 'emails[type eq "home"].primary', value: true },
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  [
    'an added primary value demotes the old one',
    { emails: [work] },
    { op: 'add', path: 'emails', value: [{ ...home, primary: true }] },
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  [
    'values that are there already are not added again',
    { emails: [work] },
    { op: 'add', value: { emails: [work, home] } },
    { emails: [work, home] },
  ],
  [
    'a single value is added to a list',
    {},
    { op: 'add', path: 'emails', value: home },
    { emails: [home] },
  ],
  [
    'names of attributes are not case-sensitive',
    { emails: [home] },
    { op: 'replace', path: 'EMAILS[TYPE eq "HOME"].VALUE', value: 'x' },
    { emails: [{ type: 'home', value: 'x' }] },
  ],
  [
    'a path may begin with the URN of the schema',
    {},
    { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:name.givenName', value: 'Ada' },
    { name: { givenName: 'Ada' } },
  ],
  [
    'an extension may be the path',
    {},
    { op: 'add', path: ENTERPRISE, value: { department: 'Engines' } },
    { [ENTERPRISE]: { department: 'Engines' } },
  ],
  ['null means no value', { title: 'x' }, { op: 'replace', path: 'title', value: null }, {}],
  [
    'read-only attributes without a path are ignored',
    {},
    { op: 'replace', value: { id: 'x', meta: {}, title: 'x' } },
    { title: 'x' },
  ],
  ['a password is forgotten', {}, { op: 'replace', path: 'password', value: 'x' }, {}],
]
for (const [name, before, operation, after] of decided)
  test(name, () => {
    const user = { userName: 'ada' }
    const result = applyPatch(TYPES.Users, { ...user, ...before }, [operation])
    assert.deepEqual(result, { ...user, ...after })
  })

const refused: [operation: Operation, scimType: string][] = [
  [{ op: 'Add', path: 'title', value: 'x' }, 'invalidSyntax'],
  [{ op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
  [{ op: 'add', path: 'title' }, 'invalidValue'],
  [{ op: 'add', path: 'title', value: 7 }, 'invalidValue'],
  [{ op: 'replace', path: 'active', value: 'False' }, 'invalidValue'],
  [{ op: 'replace', path: 'emails', value: 'x' }, 'invalidValue'],
  [{ op: 'replace', path: 'emails', value: [{ shoeSize: 42 }] }, 'invalidSyntax'],
  [{ op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
  [{ op: 'replace', value: 'x' }, 'invalidValue'],
  [{ op: 'replace', value: { shoeSize: 42 } }, 'invalidPath'],
  [{ op: 'replace', path: 'shoeSize', value: 42 }, 'invalidPath'],
  [{ op: 'replace', path: '__proto__.x', value: 42 }, 'invalidPath'],
  [{ op: 'replace', path: 'name.shoeSize', value: 42 }, 'invalidPath'],
  [{ op: 'replace', path: 'title[x eq 1]', value: 42 }, 'invalidPath'],
  [{ op: 'replace', path: 'emails[type eq "work"', value: 'x' }, 'invalidPath'],
  [{ op: 'replace', path: 'emails[type is "work"]', value: {} }, 'invalidFilter'],
  [{ op: 'replace', path: 'emails.value', value: 'x' }, 'noTarget'],
  [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
  [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }, 'mutability'],
  [{ op: 'remove', path: 'userName' }, 'mutability'],
  [{ op: 'remove' }, 'noTarget'],
]
for (const [operation, scimType] of refused)
  test(`${JSON.stringify(operation)} is refused`, () => {
    assert.throws(
      () => applyPatch(TYPES.Users, { userName: 'ada' }, [operation]),
      (error) => error instanceof ScimError && error.scimType === scimType,
    )
  })
