import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startWorkdayLab } from '../../../lab/workday.ts'
import { startApp } from '../../../test/harness.ts'
import { addHolder } from '../../../test/holder.ts'
import { person } from '../../../test/people.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { listMails } from '../../platform/mail.ts'

const app = await startApp()
const WORKDAYS = '/api/v2/workdays'
const lab = await startWorkdayLab()
after(lab.close)
const { reportUrl, username, password } = lab
app.secrets.add(password).add(Buffer.from(`${username}:${password}`).toString('base64'))
const auth = { basic: { username, password } }
const input = { name: 'Workday Import', reportUrl, auth }
const OAUTH = { isValid: false, expiry: '', message: 'Only basic authentication is supported' }
const basic = (isValid: boolean, message = '') => ({ isValid, expiry: '', message })

type Org = Awaited<ReturnType<typeof app.newOrganization>>
async function connect(body: object = input) {
  const org = await app.newOrganization()
  const res = await org.post(WORKDAYS, body)
  assert.equal(res.statusCode, 201, res.body)
  const { id } = res.json() as { id: string }
  return { org, id, path: `${WORKDAYS}/${id}`, workday: res.json() }
}
const shown = async (org: Org, id: string) => (await org.get(`${WORKDAYS}/${id}`)).json().auth.basic

/** A report server with any answer. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/report`
}

test('a Workday is created, listed, read, changed and deleted, with an event each', async () => {
  const { org, id, path, workday } = await connect()
  assert.deepEqual(workday, {
    id,
    name: 'Workday Import',
    reportUrl,
    lastImport: '',
    auth: { basic: basic(true), oauth: OAUTH },
  })
  const list = await org.get(`${WORKDAYS}/`)
  assert.deepEqual(list.json(), [workday])
  assert.equal(list.headers['x-total-count'], '1')
  assert.deepEqual((await org.get(`${WORKDAYS}?fields=name&sort=-name`)).json(), [
    { id, name: 'Workday Import' },
  ])
  assert.deepEqual((await org.get(`${WORKDAYS}?filter=name:eq:Other`)).json(), [])
  assert.deepEqual((await org.get(`${path}/`)).json(), workday)

  const changedUrl = `${reportUrl}&Location=Denver`
  const changed = await org.put(path, { name: 'Workday Import', reportUrl: changedUrl })
  assert.equal(changed.statusCode, 200, changed.body)
  assert.deepEqual(changed.json(), { ...workday, reportUrl: changedUrl })
  assert.deepEqual((await org.put(path, {})).json(), changed.json())
  assert.deepEqual((await org.put(path, { name: null, reportUrl: null })).json(), changed.json())

  const deleted = await org.delete(path)
  assert.deepEqual([deleted.statusCode, deleted.body], [204, ''])
  assert.equal((await org.get(path)).statusCode, 404)
  assert.equal((await org.delete(path)).json().reason, 'workday_not_found')

  const events = await org.events()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['workday_create', 'workday_update', 'workday_delete'],
  )
  const resource = { type: 'workday', id, name: 'workday import' }
  for (const event of events) assert.deepEqual(event.resource, resource)
  assert.deepEqual(events[0]!.changes, [
    { field: 'name', to: 'Workday Import' },
    { field: 'reportUrl', to: reportUrl },
    { field: 'auth' },
  ])
  assert.deepEqual(events[1]!.changes, [{ field: 'reportUrl', from: reportUrl, to: changedUrl }])
  assert.ok(!JSON.stringify(events).includes(password))
})

test('there is one in an organization, with a fixed name', async () => {
  const { org, path } = await connect()
  const second = await org.post(WORKDAYS, input)
  assert.deepEqual([second.statusCode, second.json().reason], [409, 'workday_exists'])
  for (const res of [
    await org.post(WORKDAYS, { ...input, name: 'Workday 2' }),
    await org.put(path, { name: 'Workday 2' }),
  ]) {
    assert.deepEqual([res.statusCode, res.json().reason], [400, 'bad_workday_name'])
    assert.match(res.json().message, /^name: /)
  }
  assert.equal((await org.delete(path)).statusCode, 204)
  assert.equal((await org.post(WORKDAYS, input)).statusCode, 201)
})

test('bad input is refused with the field, and changes nothing', async () => {
  const { org, id, path } = await connect()
  const before = (await org.get(path)).json()
  const events = (await org.eventTypes()).length
  const fresh = await app.newOrganization()
  const some = { username, password }
  const urls: [unknown, string, RegExp][] = [
    ['ftp://example.com/report', 'validation', /reportUrl/],
    ['', 'validation', /reportUrl/],
    [7, 'validation', /reportUrl/],
    ['http://10.0.0.1/report', 'bad_url', /^reportUrl: /],
    ['http://me:secret@127.0.0.1/report', 'bad_url', /^reportUrl: /],
    ['http://127.0.0.1/report?format=csv', 'bad_url', /^reportUrl: .*format=json/],
  ]
  const auths: [unknown, string, RegExp][] = [
    [{}, 'credentials_missing', /^auth\.basic: /],
    [{ basic: null, oauth: null }, 'credentials_missing', /^auth\.basic: /],
    [{ basic: { username } }, 'credentials_missing', /^auth\.basic: /],
    [{ basic: { username: '', password } }, 'credentials_missing', /^auth\.basic: /],
    [{ basic: { username: 'a:b', password } }, 'validation', /username/],
    [{ basic: { username: 7, password } }, 'validation', /username/],
    [
      { oauth: { code: 'x' } },
      'oauth_unsupported',
      /^auth\.oauth: only basic authentication is supported/,
    ],
    [{ basic: some, oauth: {} }, 'oauth_unsupported', /^auth\.oauth: /],
    ['secret', 'validation', /auth/],
    [undefined, 'validation', /auth/],
  ]
  const attempts = [
    ...urls.map(
      ([bad, ...rest]) => [fresh.post(WORKDAYS, { ...input, reportUrl: bad }), ...rest] as const,
    ),
    ...urls.map(([bad, ...rest]) => [org.put(path, { reportUrl: bad }), ...rest] as const),
    ...auths.map(
      ([bad, ...rest]) => [fresh.post(WORKDAYS, { ...input, auth: bad }), ...rest] as const,
    ),
    ...auths.map(([bad, ...rest]) => [org.post(`${path}/auth`, { auth: bad }), ...rest] as const),
  ]
  for (const [attempt, reason, message] of attempts) {
    const res = await attempt
    assert.equal(res.statusCode, 400, res.body)
    assert.equal(res.json().reason, reason, res.body)
    assert.match(res.json().message, message)
  }
  assert.deepEqual((await org.get(path)).json(), before)
  assert.equal((await org.eventTypes()).length, events)
  assert.deepEqual((await fresh.get(WORKDAYS)).json(), [])
  assert.equal((await org.get(`${path}/workers?sort=age`)).json().reason, 'unknown_field')
  assert.equal((await org.get(`${path}/workers?limit=x`)).statusCode, 400)
  assert.equal((await org.get(`${WORKDAYS}/${id}x/workers`)).statusCode, 404)
})

test('authorize shows whether the credentials work, deauthorize deletes them', async () => {
  const { org, id, path } = await connect({
    ...input,
    auth: { basic: { username, password: 'wrong' } },
  })
  const refused = basic(
    false,
    'The report cannot be read: its server refused the user name or password (status 401)',
  )
  assert.deepEqual(await shown(org, id), refused)
  const right = await org.post(`${path}/auth/`, { auth })
  assert.deepEqual([right.statusCode, right.body], [204, ''])
  assert.deepEqual(await shown(org, id), basic(true))
  assert.equal(
    (await org.post(`${path}/auth`, { auth: { basic: { username, password: 'no' } } })).statusCode,
    204,
  )
  assert.deepEqual(await shown(org, id), refused)

  assert.equal((await org.post(`${path}/auth`, { auth })).statusCode, 204)
  for (let time = 0; time < 2; time++) {
    const res = await org.delete(`${path}/auth`)
    assert.deepEqual([res.statusCode, res.body], [204, ''])
  }
  assert.deepEqual(await shown(org, id), basic(false, 'Not authorized'))
  const workers = await org.get(`${path}/workers`)
  assert.deepEqual([workers.statusCode, workers.json().reason], [400, 'workday_not_authorized'])

  const events = (await org.events()).slice(1)
  assert.deepEqual(
    events.map(({ event_type, changes }) => [event_type, changes]),
    Array(4).fill(['workday_update', [{ field: 'auth' }]]),
  )
  assert.ok(!JSON.stringify(events).includes(password))
  const kept = await app.db
    .tenant(org.organizationId)
    .many(sql`select secret from workdays where organization_id = ${org.organizationId}`)
  assert.deepEqual(kept, [{ secret: null }])
})

test('credentials are sealed, and kept only for the host they were given for', async () => {
  const { org, id, path } = await connect()
  const [row] = await app.db
    .tenant(org.organizationId)
    .many<{ secret: string }>(
      sql`select secret from workdays where organization_id = ${org.organizationId}`,
    )
  assert.ok(!row!.secret.includes(password))
  let asked = 0
  const elsewhere = await serve((_, response) => {
    asked++
    response.end('{"Report_Entry":[]}')
  })
  const moved = await org.put(path, { reportUrl: elsewhere })
  assert.deepEqual(moved.json().auth.basic, basic(false, 'Not authorized'))
  assert.equal((await org.get(`${path}/workers`)).json().reason, 'workday_not_authorized')
  assert.equal(asked, 0)
  const { changes } = (await org.events()).at(-1)!
  assert.deepEqual(changes, [
    { field: 'reportUrl', from: reportUrl, to: elsewhere },
    { field: 'auth' },
  ])
  await org.post(`${path}/auth`, { auth })
  assert.deepEqual(await shown(org, id), basic(true))
  assert.equal(asked, 1)
})

test('workers are read from the report, page by page or sorted', async () => {
  const { org, path } = await connect()
  const first = await org.get(`${path}/workers`)
  assert.equal(first.statusCode, 200, first.body)
  assert.equal(first.headers['x-total-count'], '200')
  assert.equal(first.json().length, 10)
  const { User_Name, First_Name, Last_Name, Work_Email, ...attributes } = lab.entries[0]!
  assert.deepEqual(first.json()[0], {
    username: User_Name,
    email: Work_Email,
    firstName: First_Name,
    lastName: Last_Name,
    attributes,
  })
  const all = (await org.get(`${path}/workers/?limit=0`)).json()
  const names = lab.entries.map((entry) => entry.User_Name)
  assert.deepEqual(
    all.map((worker: { username: string }) => worker.username),
    names,
  )
  const last = await org.get(`${path}/workers?limit=2&skip=198&sort=-username`)
  assert.deepEqual(
    last.json().map((worker: { username: string }) => worker.username),
    names.toSorted().slice(0, 2).reverse(),
  )
  assert.equal(last.headers['x-total-count'], '200')
  assert.deepEqual((await org.get(`${path}/workers?skip=200`)).json(), [])
  assert.deepEqual(await org.eventTypes(), ['workday_create'])
})

test('a failure of the report server is answered with its reason, and shown by the record', async () => {
  const cases: [RequestListener, string, RegExp][] = [
    [(_, response) => response.writeHead(403).end(), 'report_refused', /status 403/],
    [(_, response) => response.writeHead(404).end(), 'report_unavailable', /status 404/],
    [(_, response) => response.writeHead(500).end('{}'), 'report_unavailable', /status 500/],
    [(_, response) => response.end('<html>Sign in'), 'report_unreadable', /format=json/],
    [(_, response) => response.end('{}'), 'report_unreadable', /Report_Entry/],
    [(_, { socket }) => socket!.destroy(), 'report_unavailable', /closed the connection/],
    [
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' })
        response.write('{"Report_Entry":[{"User_Name":"ada"},', () => response.destroy())
      },
      'report_unavailable',
      /closed the connection/,
    ],
    [
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/login' }).end(),
      'report_unavailable',
      /redirects to 127\.0\.0\.1:9/,
    ],
    [
      (_, response) =>
        response.writeHead(200, { 'content-length': String(65 * 1024 * 1024) }).write('{'),
      'report_unavailable',
      /larger|large/,
    ],
  ]
  for (const [listener, reason, message] of cases) {
    const { org, id, path } = await connect({ ...input, reportUrl: await serve(listener) })
    const res = await org.get(`${path}/workers`)
    assert.equal(res.statusCode, 400, res.body)
    assert.equal(res.json().reason, reason)
    assert.match(res.json().message, message)
    assert.deepEqual(await shown(org, id), basic(false, res.json().message))
  }
})

test('the report is asked for as JSON, and the outcome is that of the last try', async () => {
  const asked: (string | undefined)[] = []
  let status = 200
  const url = await serve((request, response) => {
    asked.push(request.url)
    response.writeHead(status).end('{"Report_Entry":[]}')
  })
  const { org, id, path } = await connect({ ...input, reportUrl: `${url}?Location=Denver` })
  assert.deepEqual(asked, ['/report?Location=Denver&format=json'])
  assert.deepEqual((await org.get(`${path}/workers`)).json(), [])
  status = 401
  assert.equal((await org.get(`${path}/workers`)).json().reason, 'report_refused')
  assert.equal((await shown(org, id)).isValid, false)
  status = 200
  assert.equal((await org.get(`${path}/workers`)).statusCode, 200)
  assert.deepEqual(await shown(org, id), basic(true))
})

test('an import creates a user for each entry, and tells what became of each', async () => {
  const { org, path, workday } = await connect()
  const settings = { newSystemUserStateDefaults: { applicationImport: 'STAGED' } }
  await org.put(`/api/organizations/${org.organizationId}`, { settings })
  const taken = person()
  await org.post('/api/systemusers', taken)
  const before = (await org.events()).length
  const entries = [
    person({
      firstname: 'Ada',
      lastname: 'Lovelace',
      state: 'ACTIVATED',
      attributes: [{ name: 'EmployeeID', value: '0001' }],
    }),
    person(),
    person({ username: taken.username }),
  ]
  const res = await org.post(`${path}/import/`, entries)
  assert.equal(res.statusCode, 201, res.body)
  const { jobId } = res.json()
  assert.deepEqual(res.json(), { jobId })
  const results = `${path}/import/${jobId}/results`
  const waiting = (await org.get(results)).json()
  assert.deepEqual(
    waiting.map(({ status }: { status: string }) => status),
    ['Pending', 'Pending', 'Pending'],
  )
  await app.runDueJobs()

  const done = await org.get(`${results}/`)
  assert.equal(done.headers['x-total-count'], '3')
  type Result = { status: string; statusMsg: string; persistedFields: object; meta: object }
  const outcome: Result[] = done.json()
  assert.deepEqual(
    outcome.map(({ persistedFields }) => persistedFields),
    entries,
  )
  assert.ok(outcome.every(({ status }) => status === 'Finished'))
  assert.deepEqual(outcome[2]!.meta, { success: false, reason: 'username_taken' })
  assert.match(outcome[2]!.statusMsg, /^username/)
  assert.equal((await org.get(`${results}?limit=2&skip=2`)).json().length, 1)

  const [ada, other] = await Promise.all(
    outcome.slice(0, 2).map(async ({ meta }) => {
      const { userId } = meta as { userId: string }
      return (await org.get(`/api/systemusers/${userId}`)).json()
    }),
  )
  assert.deepEqual(
    [ada.firstname, ada.lastname, ada.state, ada.creationSource, ada.attributes],
    ['Ada', 'Lovelace', 'ACTIVATED', 'gatehouse:workday', [{ name: 'EmployeeID', value: '0001' }]],
  )
  assert.equal(other.state, 'STAGED')

  const { lastImport, ...rest } = (await org.get(path)).json()
  assert.deepEqual({ ...rest, lastImport: '' }, workday)
  const events = (await org.events()).slice(before)
  assert.equal(events[0]!.event_type, 'workday_update')
  assert.deepEqual(events[0]!.changes, [{ field: 'lastImport', from: null, to: lastImport }])
  assert.equal(events.filter(({ event_type }) => event_type === 'systemuser_create').length, 2)
  for (const { correlation, event_type } of events)
    assert.deepEqual(correlation, { id: jobId, type: 'user_import' }, event_type)
  const mails = await listMails(app.db, app.sealer, 1000)
  assert.ok(!mails.some(({ recipient }) => recipient === org.email))
})

test('the results of an import belong to its Workday, and end with it', async () => {
  const { org, path } = await connect()
  const { jobId } = (await org.post(`${path}/import`, [person()])).json()
  const results = `${path}/import/${jobId}/results`
  assert.equal((await org.get(`/api/v2/bulk/users/${jobId}/results`)).statusCode, 404)
  const bulk = (await org.post('/api/v2/bulk/users', [person()])).json().jobId
  const foreign = await org.get(`${path}/import/${bulk}/results`)
  assert.deepEqual([foreign.statusCode, foreign.json().reason], [404, 'bulk_job_not_found'])
  await app.runDueJobs()
  const [{ meta }] = (await org.get(results)).json()
  await org.delete(path)
  assert.equal((await org.get(results)).json().reason, 'workday_not_found')
  assert.equal((await org.post(`${path}/import`, [person()])).json().reason, 'workday_not_found')
  assert.equal((await org.get(`/api/systemusers/${meta.userId}`)).statusCode, 200)
})

test('an import with a bad entry is refused as a whole, with the field', async () => {
  const { org, path } = await connect()
  const entry = { username: 'x', email: 'x@example.com' }
  const cases: [object, RegExp][] = [
    [[], /body/],
    [{}, /body/],
    [[person(), { username: 'x' }], /1.*email/],
    [[person({ email: 'nobody' })], /email/],
    [[person({ state: 'HIRED' })], /state/],
    [[person({ attributes: { EmployeeID: '1' } })], /attributes/],
    [[person({ attributes: [{ value: '1' }] })], /name/],
    [Array.from({ length: 10_001 }, () => entry), /10000/],
  ]
  for (const [body, message] of cases) {
    const res = await org.post(`${path}/import`, body)
    assert.equal(res.statusCode, 400, res.body)
    assert.match(JSON.stringify(res.json()), message)
  }
  assert.equal((await org.get(path)).json().lastImport, '')
  assert.deepEqual(await org.eventTypes(), ['workday_create'])
})

test('scopes, and isolation between organizations', async () => {
  const { org, path } = await connect()
  const { jobId } = (await org.post(`${path}/import`, [person()])).json()
  const stranger = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  const events = (await org.eventTypes()).length
  const reads = [path, `${path}/workers`, `${path}/import/${jobId}/results`]
  const writes = [
    ['put', path, { reportUrl: 'http://127.0.0.1/report' }],
    ['delete', path],
    ['post', `${path}/auth`, { auth }],
    ['delete', `${path}/auth`],
    ['post', `${path}/import`, [person()]],
  ] as const
  for (const url of reads) {
    assert.equal((await reader.get(url)).statusCode, 200)
    assert.equal((await runner.get(url)).statusCode, 403)
    assert.equal((await stranger.get(url)).json().reason, 'workday_not_found')
  }
  for (const [method, url, body] of writes) {
    assert.equal((await reader[method](url, body)).statusCode, 403)
    assert.equal((await stranger[method](url, body)).json().reason, 'workday_not_found')
  }
  assert.equal((await reader.post(WORKDAYS, input)).statusCode, 403)
  assert.equal((await runner.get(WORKDAYS)).statusCode, 403)
  assert.deepEqual((await stranger.get(WORKDAYS)).json(), [])
  assert.equal((await org.get(`${WORKDAYS}/${newId()}`)).statusCode, 404)
  assert.equal((await org.eventTypes()).length, events)
})

test('directories alone neither configures an import of users nor reads what it made', async () => {
  const { org, path } = await connect()
  const { jobId } = (await org.post(`${path}/import`, [person()])).json()
  const holder = await addHolder(app, org, ['directories'])
  const calls: ['get' | 'post' | 'put', string, object?][] = [
    ['post', WORKDAYS, input],
    ['put', path, { reportUrl }],
    ['post', `${path}/auth`, { auth }],
    ['get', `${path}/workers`],
    ['get', `${path}/import/${jobId}/results`],
    ['post', `${path}/import`, [person()]],
  ]
  for (const [method, url, sent] of calls) {
    const res = await holder[method](url, sent as never)
    assert.equal(res.statusCode, 403, `${method} ${url}`)
    assert.match(res.json().message, /users/)
  }
})

test('an import creates nobody once the one who started it may not', async () => {
  const { org, path } = await connect()
  const holder = await addHolder(app, org, ['directories', 'users'])
  const { jobId } = (await holder.post(`${path}/import`, [person(), person()])).json()
  await holder.give(['directories', 'users.readonly'])
  await app.runDueJobs()
  const results = (await org.get(`${path}/import/${jobId}/results`)).json()
  assert.deepEqual(
    results.map(({ meta }: { meta: object }) => meta),
    Array(2).fill({ success: false, reason: 'rights_lost' }),
  )
  assert.equal((await org.get('/api/systemusers')).json().totalCount, 0)
})
