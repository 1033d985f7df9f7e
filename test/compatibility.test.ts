import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorization, enrol, newKeyPair, signedCaller } from './enrol.ts'
import { type Response, startApp } from './harness.ts'
import { addUser, person } from './people.ts'

// Behaviour that published clients of this API depend on, one test each. The clients were not written for this
// service, so none of it may change, however odd it looks.

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const { publicKey, privateKey } = newKeyPair()

const NOBODY = '0'.repeat(24)
const ids = (records: { id: string }[]) => records.map(({ id }) => id)
const total = (res: Response) => res.headers['x-total-count']

async function addGroup(org: Org, body: object = {}, path = 'usergroups') {
  const res = await org.post(`/api/v2/${path}`, { name: person().username, ...body })
  assert.equal(res.statusCode, 201, res.body)
  return res.json()
}
async function addCommand(org: Org, body: object = {}) {
  const res = await org.post('/api/commands', { name: 'Disk', command: 'df', ...body })
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
async function addApplication(org: Org, body: object = {}) {
  const res = await org.post('/api/applications', {
    name: 'saml2',
    displayLabel: 'Wiki',
    displayName: 'Wiki',
    ssoUrl: `https://sso.example.com/saml2/${person().username}`,
    config: {
      acsUrl: { value: 'https://wiki.example.com/acs' },
      spEntityId: { value: 'https://wiki.example.com' },
    },
    ...body,
  })
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
const join = (org: Org, group: string, user: string, op = 'add') =>
  org.post(`/api/v2/usergroups/${group}/members`, { op, type: 'user', id: user })

test('1: v1 lists have totalCount and results, v2 lists are arrays with x-total-count, also when empty', async () => {
  const org = await app.newOrganization()
  for (const path of ['systemusers', 'systems', 'commands', 'commandresults', 'applications']) {
    const res = await org.get(`/api/${path}`)
    assert.equal(res.body, '{"totalCount":0,"results":[]}', path)
  }
  for (const path of ['systemusers', 'systems', 'commands', 'commandresults']) {
    const res = await org.post(`/api/search/${path}`, {})
    assert.equal(res.body, '{"totalCount":0,"results":[]}', path)
  }
  const user = await addUser(org)
  const group = await addGroup(org)
  const system = await enrol(app.http, org, publicKey)
  const command = await addCommand(org)
  const empty = [
    'systemgroups',
    'directories',
    'bulk/userstates',
    `users/${user.id}/memberof`,
    `users/${user.id}/applications`,
    `users/${user.id}/systems`,
    `users/${user.id}/directories`,
    `users/${user.id}/associations?targets=system`,
    `usergroups/${group.id}/members`,
    `usergroups/${group.id}/membership`,
    `usergroups/${group.id}/systems`,
    `usergroups/${group.id}/suggestions`,
    `systems/${system}/users`,
    `systems/${system}/memberof`,
    `systems/${system}/commands`,
    `commands/${command.id}/systems`,
  ]
  for (const path of empty) {
    const res = await org.get(`/api/v2/${path}`)
    assert.deepEqual([res.statusCode, res.body, total(res)], [200, '[]', '0'], path)
  }
  const beyond = await org.get('/api/systemusers?skip=50')
  assert.equal(beyond.body, '{"totalCount":1,"results":[]}')
  const past = await org.get('/api/v2/usergroups?skip=50')
  assert.deepEqual([past.body, total(past)], ['[]', '1'])
})

test('2: v1 records have _id and id, v2 records only id', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const system = await enrol(app.http, org, publicKey)
  const command = await addCommand(org)
  const application = await addApplication(org)
  for (const path of [
    `systemusers/${user.id}`,
    `systems/${system}`,
    `commands/${command._id}`,
    `applications/${application._id}`,
  ]) {
    const one = (await org.get(`/api/${path}`)).json()
    const [listed] = (await org.get(`/api/${path.split('/')[0]}`)).json().results
    for (const record of [one, listed]) {
      assert.match(record._id, /^[0-9a-f]{24}$/, path)
      assert.equal(record.id, record._id, path)
    }
  }
  const organization = (await org.get('/api/organizations')).json().results[0]
  assert.equal(organization.id, organization._id)
  // With a projection, too.
  const [few] = (await org.get('/api/systemusers?fields=username')).json().results
  assert.deepEqual(few, { _id: user.id, id: user.id, username: user.username })
  const group = await addGroup(org)
  const [listed] = (await org.get('/api/v2/usergroups')).json()
  for (const record of [group, listed]) {
    assert.match(record.id, /^[0-9a-f]{24}$/)
    assert.ok(!('_id' in record))
  }
})

test('3: limit up to 100 everywhere, 1000 for users, systems and searches', async () => {
  const org = await app.newOrganization()
  const many = 1001
  await app.db.tx(org.organizationId, async (tx) => {
    const id = "lpad(to_hex(n), 24, '0')"
    await tx.execute(
      `insert into users (organization_id, id, username, email, state, unix_uid, unix_guid, creation_source)
       select $1, ${id}, 'u' || n, 'u' || n || '@example.com', 'STAGED', n, n, 'test' from generate_series(1, ${many}) n`,
      [org.organizationId],
    )
    await tx.execute(
      `insert into systems (organization_id, id) select $1, ${id} from generate_series(1, ${many}) n`,
      [org.organizationId],
    )
    await tx.execute(
      `insert into nodes (organization_id, type, id) select $1, 'user_group', ${id} from generate_series(1, ${many}) n`,
      [org.organizationId],
    )
    await tx.execute(
      `insert into groups (organization_id, type, id, name) select $1, 'user_group', ${id}, 'g' || n from generate_series(1, ${many}) n`,
      [org.organizationId],
    )
    await tx.execute(
      `insert into nodes (organization_id, type, id) select $1, 'command', ${id} from generate_series(1, ${many}) n`,
      [org.organizationId],
    )
    await tx.execute(
      `insert into commands (organization_id, id, name, command, command_type, launch_type)
       select $1, ${id}, 'c' || n, 'true', 'linux', 'manual' from generate_series(1, ${many}) n`,
      [org.organizationId],
    )
    await tx.execute('call recount_nodes()')
  })
  for (const path of ['systemusers', 'systems', 'commands']) {
    const list = (await org.get(`/api/${path}?limit=1000`)).json()
    const found = (await org.post(`/api/search/${path}`, { limit: 1000 })).json()
    assert.deepEqual([list.results.length, found.results.length], [1000, 1000], path)
    assert.equal((await org.get(`/api/${path}`)).json().results.length, 10, 'ten by default')
  }
  const groups = await org.get('/api/v2/usergroups?limit=100')
  assert.deepEqual([groups.json().length, total(groups)], [100, String(many)])
})

test('4: searches take limit and skip in the body and in the query', async () => {
  const org = await app.newOrganization()
  const users = [await addUser(org), await addUser(org), await addUser(org)]
  const search = async (query: string, body: object) =>
    ids((await org.post(`/api/search/systemusers${query}`, body)).json().results)
  const [, second, third] = ids(users)
  assert.deepEqual(await search('?limit=1&skip=1&sort=unix_uid', {}), [second])
  assert.deepEqual(await search('', { limit: 1, skip: 1, sort: 'unix_uid' }), [second])
  assert.deepEqual(await search('?limit=2&skip=1', { limit: 2, skip: 1, sort: 'unix_uid' }), [
    second,
    third,
  ])
})

test('5: filters are repeated, numbered, alternatives, or lists', async () => {
  const org = await app.newOrganization()
  const ann = await addUser(org, { firstname: 'Ann', company: 'Acme' })
  const ben = await addUser(org, { firstname: 'Ben', company: 'Acme' })
  await addUser(org, { firstname: 'Eve' })
  const find = async (query: string) =>
    ids((await org.get(`/api/systemusers?sort=unix_uid&${query}`)).json().results)
  const isAnn = 'firstname:$eq:Ann'
  const acme = 'company:$eq:Acme'
  assert.deepEqual(await find(`filter=${acme}`), [ann.id, ben.id])
  assert.deepEqual(await find(`filter=${acme}&filter=${isAnn}`), [ann.id])
  assert.deepEqual(await find(`filter[0]=${acme}&filter[1]=${isAnn}`), [ann.id])
  assert.deepEqual(await find(`filter%5B0%5D=${acme}&filter%5B1%5D=${isAnn}`), [ann.id])
  assert.deepEqual(await find(`filter[or][0]=${isAnn}&filter[or][1]=firstname:$eq:Ben`), [
    ann.id,
    ben.id,
  ])
  const group = await addGroup(org, { name: 'One' })
  await addGroup(org, { name: 'Two' })
  const groups = async (query: string) => ids((await org.get(`/api/v2/usergroups?${query}`)).json())
  assert.deepEqual(await groups('filter=type:eq:user_group,name:eq:One'), [group.id])
  assert.deepEqual(await groups('filter=type:eq:user_group&filter=name:eq:One'), [group.id])
  assert.deepEqual(await groups('filter=name:eq:O*'), [group.id])
  assert.deepEqual(await groups('filter=name:$eq:One'), [group.id])
})

test('6: $ and : may be escaped in the query, or not', async () => {
  const org = await app.newOrganization()
  await addUser(org)
  const { id, created } = await addUser(org, { username: 'a:b' })
  for (const filter of [
    'username:$eq:a:b',
    'username%3A%24eq%3Aa%3Ab',
    'username:%24eq:a%3Ab',
    `created:$gte:${created}`,
    `created%3A%24gte%3A${encodeURIComponent(created)}`,
  ]) {
    const res = await org.get(`/api/systemusers?filter=${filter}`)
    assert.deepEqual(ids(res.json().results), [id], filter)
  }
})

test('7: $regex may begin with (?i)', async () => {
  const org = await app.newOrganization()
  const { id } = await addUser(org, { username: 'Jo.Doe', email: 'jo.doe@example.com' })
  await addUser(org)
  const search = async (filter: unknown) =>
    ids((await org.post('/api/search/systemusers', { filter })).json().results)
  assert.deepEqual(await search({ and: [{ username: { $regex: '(?i)^jo\\.doe$' } }] }), [id])
  assert.deepEqual(await search([{ email: { $regex: '(?i)(^jo)' } }]), [id])
  assert.deepEqual(await search({ or: [{ username: { $regex: '^jo' } }] }), [])
  const bad = await org.post('/api/search/systemusers', { filter: { username: { $regex: '(' } } })
  assert.equal(bad.statusCode, 400)
})

test('8: paths are case-insensitive and may end in a slash', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const group = await addGroup(org, {}, 'systemgroups')
  for (const [path, published] of [
    [`/api/Systemusers/${user.id}`, `/api/systemusers/${user.id}`],
    [`/API/SYSTEMUSERS/${user.id}/`, `/api/systemusers/${user.id}`],
    ['/api/Systems/', '/api/systems'],
    [`/api/v2/Systemgroups/${group.id}/members`, `/api/v2/systemgroups/${group.id}/members`],
    ['/api/V2/systemgroups/', '/api/v2/systemgroups'],
    ['/api/organizations/', '/api/organizations'],
  ] as const) {
    const res = await org.get(path)
    assert.deepEqual([res.statusCode, res.body], [200, (await org.get(published)).body], path)
  }
  const run = await org.post('/api/runcommand', {})
  assert.match(run.json().message, /command id is required/)
})

test('9: an empty x-org-id is ignored', async () => {
  const org = await app.newOrganization()
  for (const path of ['/api/systemusers', '/api/v2/usergroups', '/api/organizations', '/api/users'])
    assert.equal((await org.get(path, { 'x-org-id': '' })).statusCode, 200, path)
  // The id of another organization is refused.
  assert.equal((await org.get('/api/systemusers', { 'x-org-id': NOBODY })).statusCode, 404)
  const several = await app.newProvider(2)
  const [empty, absent] = [
    await several.get('/api/systemusers', { 'x-org-id': '' }),
    await several.get('/api/systemusers'),
  ]
  assert.deepEqual([empty.statusCode, empty.body], [401, absent.body])
})

test('10: changes of bindings and members are 204, repeated ones 409 Already Exists and 404', async () => {
  const org = await app.newOrganization()
  const [user, group] = [await addUser(org), await addGroup(org)]
  const system = await enrol(app.http, org, publicKey)
  const bind = (op: string) =>
    org.post(`/api/v2/usergroups/${group.id}/associations`, { op, type: 'system', id: system })
  for (const change of [(op: string) => join(org, group.id, user.id, op), bind]) {
    const added = await change('add')
    assert.deepEqual([added.statusCode, added.body], [204, ''])
    const again = await change('add')
    assert.deepEqual([again.statusCode, again.json().message], [409, 'Already Exists'])
    assert.equal((await change('remove')).statusCode, 204)
    assert.equal((await change('remove')).statusCode, 404)
  }
  const nowhere = await join(org, NOBODY, user.id)
  assert.deepEqual([nowhere.statusCode, nowhere.json().message], [400, 'user_group not found'])
})

test('11: a user and an application are created with 200, a group with 201, a built-in command is 201', async () => {
  const org = await app.newOrganization()
  assert.equal((await org.post('/api/systemusers', person())).statusCode, 200)
  await addApplication(org)
  assert.equal((await org.post('/api/v2/usergroups', { name: 'One' })).statusCode, 201)
  assert.equal((await org.post('/api/v2/systemgroups', { name: 'One' })).statusCode, 201)
  const system = await enrol(app.http, org, publicKey)
  const restart = await org.post(`/api/systems/${system}/command/builtin/restart`, {})
  assert.deepEqual([restart.statusCode, restart.body], [201, ''])
})

test('12: deleting a v1 record or a group returns it with 200', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const system = await enrol(app.http, org, publicKey)
  const command = await addCommand(org)
  const application = await addApplication(org)
  for (const path of [
    `systemusers/${user.id}`,
    `systems/${system}`,
    `commands/${command.id}`,
    `applications/${application.id}`,
  ]) {
    const res = await org.delete(`/api/${path}`)
    assert.equal(res.statusCode, 200, path)
    assert.equal(res.json()._id, path.split('/')[1], path)
    assert.equal((await org.delete(`/api/${path}`)).statusCode, 404, path)
  }
  const group = await addGroup(org)
  const gone = await org.delete(`/api/v2/usergroups/${group.id}`)
  assert.deepEqual([gone.statusCode, gone.json().id], [200, group.id])
})

test('13: unknown members are ignored when users and systems are written', async () => {
  const org = await app.newOrganization()
  const extra = { shoeSize: 46, tags: null, systems: [], nested: { deep: [1] } }
  const user = await addUser(org, extra)
  const put = await org.put(`/api/systemusers/${user.id}`, { ...extra, firstname: 'Ann' })
  assert.deepEqual([put.statusCode, put.json().firstname], [200, 'Ann'])
  assert.ok(!('shoeSize' in put.json()))
  // A client may send back the whole record unchanged.
  const whole = await org.put(`/api/systemusers/${user.id}`, put.json())
  assert.equal(whole.statusCode, 200, whole.body)
  const system = await enrol(app.http, org, publicKey)
  const read = (await org.get(`/api/systems/${system}`)).json()
  const sent = await org.put(`/api/systems/${system}`, { ...read, ...extra, displayName: 'web' })
  assert.deepEqual([sent.statusCode, sent.json().displayName], [200, 'web'])
})

test('14: null and empty strings mean no value; null clears the manager', async () => {
  const org = await app.newOrganization()
  const boss = await addUser(org)
  const texts = { firstname: null, lastname: '', company: null, location: '', employeeType: null }
  const user = await addUser(org, { ...texts, manager: boss.id, alternateEmail: '' })
  assert.deepEqual([user.firstname, user.company, user.manager], ['', '', boss.id])
  const url = `/api/systemusers/${user.id}`
  assert.equal((await org.put(url, { manager: null })).json().manager, null)
  await org.put(url, { manager: boss.id, company: 'Acme' })
  const cleared = (await org.put(url, { manager: '', company: null })).json()
  assert.deepEqual([cleared.manager, cleared.company], [null, ''])
})

test('15: booleans may be strings', async () => {
  const org = await app.newOrganization()
  // The opposite of each default.
  const user = await addUser(org, { sudo: 'true', allow_public_key: 'false' })
  assert.deepEqual([user.sudo, user.allow_public_key], [true, false])
  const system = await enrol(app.http, org, publicKey)
  const put = await org.put(`/api/systems/${system}`, { allowSshRootLogin: 'true' })
  assert.equal(put.json().allowSshRootLogin, true)
  const found = async (value: unknown) =>
    (await org.post('/api/search/systems', { filter: [{ allowSshRootLogin: value }] })).json()
      .totalCount
  assert.deepEqual([await found('true'), await found(true), await found('false')], [1, 1, 0])
})

test('16: PUT of a user keeps members that are not sent; of an application, command, group or role it replaces everything', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { firstname: 'Ann', company: 'Acme', sudo: true })
  const kept = (await org.put(`/api/systemusers/${user.id}`, { firstname: 'Eve' })).json()
  assert.deepEqual([kept.firstname, kept.company, kept.sudo], ['Eve', 'Acme', true])

  const command = await addCommand(org, { sudo: true, commandType: 'windows', timeout: '7' })
  const put = { name: 'Other', command: 'ls' }
  const replaced = (await org.put(`/api/commands/${command.id}`, put)).json()
  assert.deepEqual([replaced.sudo, replaced.commandType, replaced.timeout], [false, 'linux', '120'])

  const application = await addApplication(org, { description: 'Old', active: true })
  const { name, displayLabel, displayName, ssoUrl, config } = application
  const whole = { name, displayLabel, displayName, ssoUrl, config }
  const reset = (await org.put(`/api/applications/${application.id}`, whole)).json()
  assert.deepEqual([reset.description, reset.active], ['', false])

  const group = await addGroup(org, { description: 'Old', email: 'a@example.com' })
  const plain = (await org.put(`/api/v2/usergroups/${group.id}`, { name: 'Plain' })).json()
  assert.deepEqual([plain.name, plain.description, plain.email], ['Plain', '', ''])

  const role = { name: 'Reader', description: 'Reads', scopes: ['users.readonly'] }
  const { id } = (await org.post('/api/v2/roles', role)).json()
  const bare = await org.put(`/api/v2/roles/${id}`, { name: 'Bare', scopes: ['systems.readonly'] })
  assert.deepEqual([bare.json().description, bare.json().scopes], ['', ['systems.readonly']])
})

test('17: every error has a message', async () => {
  const org = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const user = await addUser(org)
  const answers: [number, Promise<Response>][] = [
    [400, org.post('/api/systemusers', {})],
    [400, org.get('/api/systemusers?filter=nonsense')],
    [400, org.post('/api/v2/usergroups', {})],
    [400, org.get(`/api/v2/users/${user.id}/associations?targets=user`)],
    [401, app.anonymous.get('/api/systemusers')],
    [401, app.anonymous.get('/api/v2/usergroups')],
    [403, reader.post('/api/systemusers', person())],
    [403, reader.post('/api/v2/usergroups', { name: 'x' })],
    [404, org.get(`/api/systemusers/${NOBODY}`)],
    [404, org.get(`/api/v2/usergroups/${NOBODY}`)],
    [404, org.get('/api/nothing')],
    [409, org.post('/api/systemusers', { username: user.username, email: 'x@example.com' })],
  ]
  for (const [status, answer] of answers) {
    const res = await answer
    const { message, error, code } = res.json()
    assert.equal(res.statusCode, status, res.body)
    assert.ok(typeof message === 'string' && message !== '', res.body)
    assert.equal(code, status)
    if (error !== undefined) assert.equal(error, message)
  }
})

test('18: a signature covers the path and query as sent', async () => {
  const org = await app.newOrganization()
  const id = await enrol(app.http, org, publicKey)
  const signed = signedCaller(app.http, id, privateKey)
  for (const target of [
    `/api/systems/${id}`,
    `/api/Systems/${id}/`,
    `/api/systems/${id}?fields=hostname%20os`,
    `/api/v2/systems/${id}/associations?targets=command`,
    `/api/v2/systems/${id}/associations?targets=%63ommand&limit=1`,
  ])
    assert.equal((await signed('GET', target)).statusCode, 200, target)
  // Signed in a normalized form, sent in another.
  const date = new Date().toUTCString()
  const tidy = authorization(id, privateKey, 'GET', `/api/systems/${id}`, date)
  for (const url of [`/api/Systems/${id}`, `/api/systems/${id}/`, `/api/systems/${id}?fields=os`]) {
    const res = await app.http.inject({ url, headers: { date, authorization: tidy } })
    assert.equal(res.statusCode, 401, url)
  }
  const body = { op: 'add', type: 'user', id: (await addUser(org)).id }
  const target = `/api/v2/systems/${id}/associations?targets=user`
  assert.equal((await signed('POST', target, body)).statusCode, 204)
})

test('19: the served description names path parameters as published', async () => {
  const { paths } = (await app.anonymous.get('/openapi/management.json')).json()
  for (const path of [
    '/systemusers/{id}',
    '/systemusers/{systemuser_id}/sshkeys/{id}',
    '/systems/{id}',
    '/systems/{system_id}/command/builtin/lock',
    '/command/trigger/{triggername}',
    '/commands/{id}/results',
    '/v2/usergroups/{id}',
    '/v2/usergroups/{group_id}/members',
    '/v2/systemgroups/{group_id}/membership',
    '/v2/users/{user_id}/associations',
    '/v2/systems/{system_id}/memberof',
    '/v2/systems/{system_id}/fdekey',
    '/v2/applications/{application_id}/users',
    '/v2/commands/{command_id}/systems',
    '/v2/commandqueue/{workflow_instance_id}',
    '/v2/bulk/users/{job_id}/results',
    '/v2/bulk/userstates/{id}',
  ])
    assert.ok(path in paths, path)
  assert.equal(
    paths['/systemusers/{systemuser_id}/sshkeys/{id}'].delete.operationId,
    'deleteApiSystemusersBySystemuserIdSshkeysById',
  )
})

test('20: GET /organizations accepts any valid key, without x-org-id', async () => {
  const org = await app.newOrganization()
  const provider = await app.newProvider(2)
  for (const role of ['Administrator', 'Manager', 'Command Runner', 'Help Desk', 'Read Only']) {
    const admin = await app.addAdministrator(org.organizationId, role)
    const res = await admin.get('/api/organizations')
    assert.deepEqual([res.statusCode, res.json().totalCount], [200, 1], role)
    assert.equal(res.json().results[0]._id, org.organizationId)
  }
  assert.equal((await provider.get('/api/organizations')).json().totalCount, 2)
  assert.equal((await app.anonymous.get('/api/organizations')).statusCode, 401)
})
