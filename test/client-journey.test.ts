import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { enrol, newKeyPair } from './enrol.ts'
import { startApp } from './harness.ts'
import { person } from './people.ts'

// A journey through the directory as clients make it that were generated from the public descriptions of this API:
// over the wire, with the headers, nulls, extra members and spellings that such clients send.

const app = await startApp()
const address = new URL(await app.listen())
const { publicKey } = newKeyPair()

interface Answer {
  status: number
  headers: Record<string, unknown>
  body: ReturnType<typeof JSON.parse>
}

/** Common to all generated clients: content types in every request, an unset organization. */
function generatedClient(apiKey: string) {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const sent = request({
      host: address.hostname,
      port: address.port,
      method,
      path: `/api${path}`,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'User-Agent': 'Swagger-Codegen/4.0.0/python',
        'X-API-KEY': apiKey,
        'x-org-id': '',
      },
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const read = await text(answer)
    const json = String(answer.headers['content-type']).includes('json')
    return {
      status: answer.statusCode!,
      headers: answer.headers,
      body: json ? JSON.parse(read) : read,
    }
  }
  return {
    get: (path: string) => call('GET', path),
    post: (path: string, body?: unknown) => call('POST', path, body),
    put: (path: string, body?: unknown) => call('PUT', path, body),
    delete: (path: string) => call('DELETE', path),
  }
}
type Client = ReturnType<typeof generatedClient>

/** A model with a few members set, as serialized by clients that send the others as null. */
const model = (members: object) => ({
  account_locked: null,
  addresses: null,
  alternateEmail: null,
  attributes: null,
  company: null,
  employeeIdentifier: null,
  manager: null,
  mfa: null,
  password: null,
  phoneNumbers: null,
  relationships: null,
  state: null,
  sudo: null,
  suspended: null,
  unix_uid: null,
  ...members,
})

async function change(client: Client, path: string, op: string, type: string, id: string) {
  const res = await client.post(path, { op, type, id, attributes: null })
  assert.deepEqual([res.status, res.body], [204, ''], `${path}: ${JSON.stringify(res.body)}`)
}

/** The ids on each path to the only result of a traversal, without the result itself. */
async function through(client: Client, path: string, end: string): Promise<string[][]> {
  const res = await client.get(path)
  assert.equal(res.status, 200, path)
  assert.equal(res.headers['x-total-count'], '1', path)
  const [found] = res.body
  assert.equal(found.id, end, path)
  const ways: { to: { id: string } }[][] = found.paths
  return ways
    .map((way) => {
      assert.equal(way.at(-1)!.to.id, end, path)
      return way.slice(0, -1).map(({ to }) => to.id)
    })
    .sort((a, b) => a.length - b.length)
}

const org = await app.newOrganization()
const client = generatedClient(org.apiKey)
const system = await enrol(app.http, org, publicKey)

async function createUser(members: object = {}) {
  const res = await client.post('/systemusers', model({ ...person(), ...members }))
  assert.equal(res.status, 200, JSON.stringify(res.body))
  return res.body
}
async function createGroup(path: 'usergroups' | 'systemgroups', name: string) {
  const body = { name, description: null, email: null, attributes: null, memberQuery: null }
  const res = await client.post(`/v2/${path}`, body)
  assert.equal(res.status, 201, JSON.stringify(res.body))
  return res.body
}

/** As Terraform providers create it: settings have only a value. */
async function createApplication() {
  const res = await client.post('/applications', {
    name: 'saml2',
    displayLabel: 'Wiki',
    displayName: 'Wiki',
    ssoUrl: `https://sso.example.com/saml2/${person().username}`,
    active: true,
    beta: null,
    color: null,
    description: null,
    config: {
      acsUrl: { value: 'https://wiki.example.com/acs' },
      spEntityId: { value: 'https://wiki.example.com' },
    },
  })
  assert.equal(res.status, 200, JSON.stringify(res.body))
  return res.body
}

test('the key is checked, then a user is created, changed and found', async () => {
  const organizations = await client.get('/organizations/')
  assert.deepEqual(
    [organizations.status, organizations.body.results[0]._id],
    [200, org.organizationId],
  )
  const user = await createUser({ firstname: 'Jo', company: 'Acme' })
  // Read, change one member, send everything back.
  const read = (await client.get(`/systemusers/${user._id}`)).body
  const put = await client.put(`/systemusers/${user._id}`, { ...read, lastname: 'Doe' })
  assert.deepEqual(
    [put.status, put.body.lastname, put.body.company, put.body.state],
    [200, 'Doe', 'Acme', 'ACTIVATED'],
  )
  const filter = encodeURIComponent(`username:$eq:${user.username}`)
  const list = await client.get(
    `/systemusers?limit=100&skip=0&sort=_id&fields=username%20email&filter=${filter}`,
  )
  assert.deepEqual(list.body, {
    totalCount: 1,
    results: [{ _id: user.id, id: user.id, email: user.email, username: user.username }],
  })
})

test('a user in a group, the group bound to systems and an application: every traversal shows the paths', async () => {
  const user = await createUser()
  const group = await createGroup('usergroups', 'Crew')
  const machines = await createGroup('systemgroups', 'Machines')
  const application = await createApplication()
  await change(client, `/v2/usergroups/${group.id}/members`, 'add', 'user', user._id)
  await change(client, `/v2/systemgroups/${machines.id}/members`, 'add', 'system', system)
  await change(client, `/v2/usergroups/${group.id}/associations`, 'add', 'system', system)
  await change(
    client,
    `/v2/usergroups/${group.id}/associations`,
    'add',
    'system_group',
    machines.id,
  )
  const binding = `/v2/applications/${application._id}/associations`
  await change(client, binding, 'add', 'user_group', group.id)
  await change(client, binding, 'add', 'user', user._id)

  const bound = await client.get(
    `/v2/usergroups/${group.id}/associations?targets=system%2Csystem_group%2Capplication&limit=10&skip=0`,
  )
  assert.deepEqual(bound.body.map(({ to }: { to: { type: string } }) => to.type).sort(), [
    'application',
    'system',
    'system_group',
  ])
  const [direct, grouped] = [[group.id], [group.id, machines.id]]
  const cases: [string, string, string[][]][] = [
    [`users/${user._id}/systems`, system, [direct, grouped]],
    [`users/${user._id}/systemgroups`, machines.id, [direct]],
    [`users/${user._id}/memberof`, group.id, [[]]],
    [`users/${user._id}/applications`, application._id, [[], direct]],
    [`usergroups/${group.id}/applications`, application._id, [[]]],
    [`applications/${application._id}/users`, user._id, [[], direct]],
    [`applications/${application._id}/usergroups`, group.id, [[]]],
    [`usergroups/${group.id}/systems`, system, [[], [machines.id]]],
    [`usergroups/${group.id}/systemgroups`, machines.id, [[]]],
    [`usergroups/${group.id}/membership`, user._id, [[]]],
    [`systems/${system}/users`, user._id, [direct, [machines.id, group.id]]],
    [`systems/${system}/usergroups`, group.id, [[], [machines.id]]],
    [`systems/${system}/memberof`, machines.id, [[]]],
    [`systemgroups/${machines.id}/users`, user._id, [direct]],
    [`systemgroups/${machines.id}/usergroups`, group.id, [[]]],
    [`systemgroups/${machines.id}/membership`, system, [[]]],
  ]
  for (const [path, end, ways] of cases)
    assert.deepEqual(await through(client, `/v2/${path}?limit=10&skip=0`, end), ways, path)

  const [element] = (await client.get(`/v2/users/${user._id}/systems`)).body
  assert.deepEqual(element.compiledAttributes, { ldapGroups: [{ name: 'Crew' }] })
  await change(client, `/v2/systems/${system}/associations`, 'remove', 'user_group', group.id)
  assert.deepEqual(await through(client, `/v2/users/${user._id}/systems`, system), [grouped])
})

test('a command is bound through a group and run', async () => {
  const body = {
    name: 'Disk',
    command: 'df',
    commandType: 'linux',
    user: '0'.repeat(24),
    timeout: '30',
    launchType: 'manual',
    schedule: '',
    files: [],
    systems: [],
    filesS3: null,
  }
  const command = (await client.post('/commands/', body)).body
  const group = await createGroup('systemgroups', 'Servers')
  await change(client, `/v2/systemgroups/${group.id}/members`, 'add', 'system', system)
  await change(client, `/v2/commands/${command._id}/associations`, 'add', 'system_group', group.id)
  assert.deepEqual(await through(client, `/v2/commands/${command._id}/systems`, system), [
    [group.id],
  ])
  const detailed = await client.get(`/v2/systems/${system}/commands?details=v1`)
  assert.deepEqual([detailed.body[0].id, detailed.body[0].name], [command._id, 'Disk'])
  const run = await client.post('/runCommand', { _id: command._id })
  assert.deepEqual([run.status, run.body.queueIds.length], [200, 1])
  const queued = await client.get('/v2/queuedcommand/workflows?limit=10&skip=0')
  assert.equal(queued.body.results[0].id, run.body.workflowInstanceId)
})

test('an activation is scheduled, listed, and takes effect', async () => {
  const user = await createUser({ state: 'STAGED' })
  const plan = (start_date: string, state = 'ACTIVATED') =>
    client.post('/v2/bulk/userstates', {
      user_ids: [user._id],
      state,
      start_date,
      send_activation_emails: state === 'ACTIVATED' ? false : null,
      activation_email_override: null,
    })
  const later = await plan('2999-01-01T00:00:00+00:00', 'SUSPENDED')
  assert.equal(later.status, 201, JSON.stringify(later.body))
  const [{ scheduledJobId }] = later.body
  const next = await client.get(`/v2/bulk/userstates/eventlist/next?users=${user._id}&limit=10`)
  assert.deepEqual([next.body.events_count, next.body.results], [1, later.body])
  const listed = await client.get(`/v2/bulk/userstates?userid=${user._id}&limit=10&skip=0`)
  assert.deepEqual(listed.body, later.body)
  assert.equal((await client.delete(`/v2/bulk/userstates/${scheduledJobId}`)).status, 204)

  assert.equal((await plan(new Date().toISOString())).status, 201)
  await app.runDueJobs()
  const after = (await client.get(`/systemusers/${user._id}`)).body
  assert.deepEqual([after.state, after.suspended], ['ACTIVATED', false])
  assert.deepEqual((await client.get(`/v2/bulk/userstates?userid=${user._id}`)).body, [])
})

test('users are created in bulk, and the results polled until all are finished', async () => {
  const people = [model(person()), model(person())]
  const made = await client.post('/v2/bulk/users?suppressEmail=true', people)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await app.runDueJobs()
  const results = await client.get(`/v2/bulk/users/${made.body.jobId}/results?limit=100&skip=0`)
  assert.deepEqual(
    results.body.map(({ status }: { status: string }) => status),
    ['Finished', 'Finished'],
  )
})

test('everything is deleted again', async () => {
  const boss = await createUser()
  const user = await createUser({ manager: boss._id })
  const group = await createGroup('usergroups', 'Short-lived')
  assert.equal((await client.delete(`/v2/usergroups/${group.id}`)).status, 200)
  assert.equal((await client.delete(`/systemusers/${boss._id}`)).status, 409)
  const deleted = await client.delete(`/systemusers/${boss._id}?cascade_manager=null`)
  assert.deepEqual([deleted.status, deleted.body._id], [200, boss._id])
  assert.equal((await client.get(`/systemusers/${user._id}`)).body.manager, null)
  assert.equal((await client.get(`/systemusers/${boss._id}`)).status, 404)
})
