import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser, person } from '../../test/people.ts'

const app = await startApp()
const STRONG = 'Tangled-Orchard-58'
app.secrets.add(STRONG)
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const byDirectory = (...fields: string[]) => ({
  restrictedFields: fields.map((field) => ({ field, type: 'active_directory' })),
})

async function refused(org: Org, id: string, body: object, field: string) {
  const res = await org.put(`/api/systemusers/${id}`, body)
  assert.equal(res.statusCode, 400, `${JSON.stringify(body)}: ${res.body}`)
  assert.match(res.json().message, new RegExp(`^${field}: is managed by active_directory`))
}

test('fields owned by another directory cannot be changed; all others can', async () => {
  const org = await app.newOrganization()
  const phone = { type: 'work', number: '+49 1' }
  const owned = ['username', 'email', 'firstname', 'company', 'employeeIdentifier', 'sudo']
  const user = await addUser(org, {
    firstname: 'Ann',
    phoneNumbers: [phone],
    ...byDirectory(...owned, 'phoneNumbers', 'password'),
  })
  const count = (await org.events()).length
  const changes: [object, string][] = [
    [person(), 'username'],
    [{ email: 'other@example.com' }, 'email'],
    [{ firstname: 'Eve' }, 'firstname'],
    [{ firstname: null }, 'firstname'],
    [{ company: 'Acme' }, 'company'],
    [{ employeeIdentifier: 'E-1' }, 'employeeIdentifier'],
    [{ sudo: true }, 'sudo'],
    [{ phoneNumbers: [] }, 'phoneNumbers'],
    [{ password: STRONG }, 'password'],
    [{ lastname: 'Free', firstname: 'Eve' }, 'firstname'],
  ]
  for (const [body, field] of changes) await refused(org, user.id, body, field)
  const set = await org.post(`/api/systemusers/${user.id}/password`, { password: STRONG })
  assert.equal(set.statusCode, 400)
  assert.equal((await org.events()).length, count)

  // The record can be sent back, with or without the ids of list items.
  const { username, email, firstname } = user
  const same = { username, email, firstname, phoneNumbers: [phone], lastname: 'Free' }
  assert.equal((await org.put(`/api/systemusers/${user.id}`, same)).json().lastname, 'Free')
})

test('a restriction can be lifted together with the change', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { firstname: 'Ann', ...byDirectory('firstname', 'lastname') })
  const url = `/api/systemusers/${user.id}`
  await refused(org, user.id, { firstname: 'Eve', ...byDirectory('firstname') }, 'firstname')
  const lifted = await org.put(url, { lastname: 'Lee', ...byDirectory('firstname') })
  assert.equal(lifted.json().lastname, 'Lee')
  // A request that restricts a field may also set it.
  const added = { company: 'Acme', ...byDirectory('firstname', 'company') }
  assert.equal((await org.put(url, added)).json().company, 'Acme')
  await refused(org, user.id, { company: 'Other' }, 'company')
  const free = await org.put(url, { restrictedFields: [], company: 'Other' })
  assert.equal(free.json().company, 'Other')
})

test('the defaults of the organization restrict after creation, and follow externally_managed', async () => {
  const org = await app.newOrganization()
  const { restrictedFields } = byDirectory('department')
  const settings = { systemUserDefaults: { restrictedFields } }
  await org.put(`/api/organizations/${org.organizationId}`, { settings })
  const user = await addUser(org, { department: 'Sales' })
  assert.deepEqual(user.restrictedFields, restrictedFields)
  await refused(org, user.id, { department: 'Support' }, 'department')
  const url = `/api/systemusers/${user.id}`
  await org.put(url, { externally_managed: true })
  const own = await org.put(url, { externally_managed: false, department: 'Support' })
  assert.deepEqual([own.json().restrictedFields, own.json().department], [[], 'Support'])
  assert.deepEqual((await org.put(url, { externally_managed: true })).json().restrictedFields, [
    { field: 'department', type: 'active_directory' },
  ])
  await refused(org, user.id, { department: 'Sales' }, 'department')
})

test('a bulk job reports the refused user', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, byDirectory('location'))
  const { jobId } = (
    await org.patch('/api/v2/bulk/users', [{ id: user.id, location: 'Oslo' }])
  ).json()
  await app.runDueJobs()
  const [result] = (await org.get(`/api/v2/bulk/users/${jobId}/results`)).json()
  assert.deepEqual(result.meta, { success: false, reason: 'field_restricted' })
})
