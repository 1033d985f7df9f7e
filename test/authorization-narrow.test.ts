import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askAll,
  type Expected,
  type Holder,
  holdsOne,
  isOfItsOwner,
  operationsOf,
  ROLES,
  surprises,
} from './authorization.ts'
import { startApp } from './harness.ts'

// Every operation by the keys of the two narrowest roles that reach most of them: what the authorization matrix tries
// with all roles and credentials, in the time that each change can afford.

const app = await startApp()
const org = await app.newOrganization()
const elsewhere = await app.newOrganization()

const holders: Holder[] = []
for (const role of ['Read Only', 'Help Desk']) {
  const { apiKey } = await app.addAdministrator(org.organizationId, role)
  const headers = { 'x-api-key': apiKey }
  holders.push({ role, credential: 'a key', headers, held: ROLES[role]! })
}

test('own: a narrow key does what its scopes say, at every operation', async () => {
  const cells = await askAll(app, holders, { organization: org.organizationId })
  assert.equal(cells.length, operationsOf(app).length * holders.length)
  const found = surprises(
    cells,
    ({ operation, held }): Expected =>
      holdsOne(operation, held) && !isOfItsOwner(operation) ? 'admitted' : 403,
  )
  assert.deepEqual(found, [])
})

test('foreign: a narrow key finds nothing in another organization', async () => {
  const cells = await askAll(
    app,
    holders,
    { organization: elsewhere.organizationId },
    ({ tenant }): Record<string, string> =>
      tenant === 'path' ? {} : { 'x-org-id': elsewhere.organizationId },
  )
  const found = surprises(cells, ({ operation, held }) =>
    holdsOne(operation, held) && operation.tenant !== 'home' ? 404 : 403,
  )
  assert.deepEqual(found, [])
})
