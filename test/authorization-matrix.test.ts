import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESSES } from '../server/graph/addresses.ts'
import { WRITE_SCOPES } from '../server/graph/rights.ts'
import { newId } from '../server/platform/ids.ts'
import {
  ask,
  askAll,
  type Cell,
  credentialsOf,
  type Expected,
  each,
  holdsOne,
  isOfItsOwner,
  nameOf,
  narrowedKey,
  operationsOf,
  ROLES,
  surprises,
} from './authorization.ts'
import { signInToConsole } from './console.ts'
import { startApp } from './harness.ts'

// The part of the authorization matrix (authorization.ts) that is about organizations.

const app = await startApp()
const OPERATIONS = operationsOf(app)
const org = await app.newOrganization()
const elsewhere = await app.newOrganization()
const { organizationId } = org
const own = { organization: organizationId }

const holders = (
  await Promise.all(
    Object.keys(ROLES).map((role) =>
      credentialsOf(
        app,
        role,
        () => app.addAdministrator(organizationId, role),
        (account) => org.post('/api/v2/service-accounts', account),
      ),
    ),
  )
).flat()

const expectedOfOwn = ({ operation, held }: Cell): Expected =>
  holdsOne(operation, held) && !isOfItsOwner(operation) ? 'admitted' : 403
let answers: Cell[] = []

test('own: a credential does what its scopes say', async (t) => {
  answers = await askAll(app, holders, own)
  t.diagnostic(`${answers.length} cells`)
  assert.equal(answers.length, OPERATIONS.length * Object.keys(ROLES).length * 4)
  assert.deepEqual(surprises(answers, expectedOfOwn), [])
})

test('the matrix notices a scope too many and a scope too few', () => {
  const otherwise = (change: (cell: Cell) => readonly string[]) =>
    surprises(answers, (cell) => expectedOfOwn({ ...cell, held: change(cell) }))
  const less = otherwise(({ role, held }) =>
    role === 'Help Desk' ? held.filter((scope) => scope !== 'users') : held,
  )
  assert.ok(less.every((line) => line.includes('of Help Desk: ')))
  assert.ok(less.length > 30)
  const more = otherwise(({ role, held }) => (role === 'Read Only' ? [...held, 'groups'] : held))
  assert.ok(more.some((line) => line.includes('/usergroups by')))
  const opened = answers.map((cell) => ({ ...cell, status: cell.status === 403 ? 404 : 200 }))
  assert.ok(surprises(opened, expectedOfOwn).length > 1000)
})

test('own: a key narrowed to one scope does what this scope opens', async (t) => {
  const post = (await signInToConsole(app.http, org)).post
  const scopes = ROLES['Administrator with Billing']!
  for (const scope of scopes) {
    const headers = await narrowedKey(app, { id: org.adminId, post }, [scope])
    const holder = { role: scope, credential: 'a narrowed key', headers, held: [scope] }
    assert.deepEqual(surprises(await askAll(app, [holder], own), expectedOfOwn), [])
  }
  t.diagnostic(`${OPERATIONS.length * scopes.length} cells`)
})

test('foreign: another organization is refused before anything is looked up', async (t) => {
  const cells = await askAll(
    app,
    holders,
    { organization: elsewhere.organizationId },
    ({ tenant }): Record<string, string> =>
      tenant === 'path' ? {} : { 'x-org-id': elsewhere.organizationId },
  )
  t.diagnostic(`${cells.length} cells`)
  const hidden = ({ operation, held }: Cell) =>
    holdsOne(operation, held) && operation.tenant !== 'home'
  assert.deepEqual(
    surprises(cells, (cell) => (hidden(cell) ? 404 : 403)),
    [],
  )
  for (const cell of cells)
    assert.match(
      cell.body,
      hidden(cell) ? /organization not found/ : /requires one of these scopes|unsupported route/,
    )
})

test('an association takes a right to both of its ends, by every role at every address', async () => {
  const posts = OPERATIONS.filter((operation) => /^POST .*\/associations$/.test(nameOf(operation)))
  assert.equal(posts.length, ADDRESSES.length)
  type Type = keyof typeof WRITE_SCOPES
  const cells = posts.flatMap((operation) => {
    const address = ADDRESSES.find(({ path }) =>
      operation.hostRootPath.startsWith(`/api/v2/${path}/`),
    )!
    const { type } = (operation.schema.body as { properties: { type: { enum: Type[] } } })
      .properties
    return type.enum.flatMap((far) =>
      holders.map((holder) => ({ ...holder, operation, near: address.type as Type, far })),
    )
  })
  const answered = await each(cells, async (cell) => {
    const body = { op: 'add', type: cell.far, id: newId() }
    return { ...cell, ...(await ask(app, cell.operation, cell.headers, own, body)) }
  })
  for (const { near, far, held, status, role, credential } of answered) {
    const may = (end: Type) => WRITE_SCOPES[end].some((scope) => held.includes(scope))
    const expected = may(near) && may(far) ? 404 : 403
    assert.equal(status, expected, `${near} ↔ ${far} by ${credential} of ${role}`)
  }
})
