import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generatePeople } from '../../lab/generated-people.ts'
import { startScimLab } from '../../lab/scim/serve.ts'
import { type Response, startApp } from '../../test/harness.ts'
import {
  connectPeople,
  jobsOf,
  ok,
  PEOPLE_MAPPING,
  startPeople,
  usersOf,
} from '../../test/imports/world.ts'
import { addApplication } from '../../test/sso/world.ts'
import { runScheduledImportJob } from './job-definitions.ts'

const app = await startApp()
const TOKEN = 'people-token-4711'
const CREATE = { operations: ['users.create'] }
app.secrets.add(TOKEN)

const rest = (url: string, more: object = {}) => ({
  kind: 'rest',
  baseUrl: url,
  auth: { type: 'bearer', token: TOKEN },
  listPath: '/people',
  ...more,
})

test('a source is configured, tried, previewed and removed; its secret never leaves', async () => {
  const lab = await startPeople({ people: 5, token: TOKEN })
  const org = await app.newOrganization()
  const { id } = await addApplication(org)
  const config = `/api/v2/applications/${id}/import/config`
  assert.equal((await org.get(config)).json().reason, 'import_not_found')
  const body = { source: rest(lab.url), mapping: PEOPLE_MAPPING }
  const saved = ok(await org.put(config, body)).json()
  assert.deepEqual(saved.source.auth, { type: 'bearer' })
  assert.deepEqual([saved.active, saved.protectFields, saved.schedule], [true, true, null])
  assert.deepEqual(ok(await org.get(config)).json(), saved)

  const tried = ok(await org.post(`${config}/test`)).json()
  assert.deepEqual([tried.ok, tried.records], [true, 5])
  assert.ok(tried.members.includes('location.city'), tried.members.join())

  const [first] = ok(await org.post(`${config}/preview`, { limit: 1 })).json()
  assert.deepEqual(
    [first.action, first.externalId, first.user.location],
    ['create', 'P000001', 'Lyon'],
  )
  assert.equal(first.rules[0].target, 'externalId')
  const mapping = [{ target: 'username', value: { source: 'nothing' }, required: true }]
  const [missing] = ok(await org.post(`${config}/preview`, { limit: 1, mapping })).json()
  assert.deepEqual([missing.action, missing.reason], ['park', 'mapping_problem'])
  assert.match(missing.message, /username: is required, but missing/)

  // The secret may be left out as long as it goes to the same place.
  const { token: _, ...keep } = { token: TOKEN, type: 'bearer' }
  ok(await org.put(config, { ...body, source: { ...rest(lab.url), auth: keep } }))
  assert.equal(ok(await org.post(`${config}/test`)).json().ok, true)
  const moved = await org.put(config, {
    ...body,
    source: { ...rest('http://127.0.0.1:9'), auth: keep },
  })
  assert.equal(moved.json().reason, 'secret_required')
  ok(
    await org.put(config, {
      ...body,
      source: { ...rest(lab.url), auth: { ...keep, token: 'bad' } },
    }),
  )
  const refused = ok(await org.post(`${config}/test`)).json()
  assert.equal(refused.ok, false)
  assert.match(refused.message, /401/)
  ok(await org.delete(config), 204)
  assert.equal((await org.delete(config)).statusCode, 404)
  const types = (await org.events()).map(({ event_type }) => event_type)
  for (const type of ['import_source_create', 'import_source_update', 'import_source_delete'])
    assert.ok(types.includes(type), type)
})

test('bad configurations are refused with the field', async () => {
  const lab = await startPeople({ people: 1 })
  const { org, path, body } = await connectPeople(app, lab)
  const cases: [object, string, RegExp][] = [
    [{ mapping: [{ target: 'password', value: { constant: 'x' } }] }, 'bad_mapping', /password/],
    [{ mapping: [{ target: 'sudo', value: { constant: true } }] }, 'bad_mapping', /sudo/],
    [{ mapping: [{ target: 'firstname', value: { source: 'x' } }] }, 'mapping_incomplete', /email/],
    [{ schedule: 'often' }, 'bad_schedule', /schedule/],
    [{ schedule: '* * * * * *' }, 'bad_schedule', /five fields/],
    [
      { source: { ...body.source, baseUrl: 'http://10.0.0.1/' } },
      'bad_url',
      /source.baseUrl|baseUrl/,
    ],
  ]
  for (const [part, reason, message] of cases) {
    const res = await org.put(`${path}/config`, { ...body, ...part })
    assert.equal(res.statusCode, 400, res.body)
    assert.equal(res.json().reason, reason, res.body)
    assert.match(res.json().message, message)
  }
  assert.equal((await org.put(`${path}/config`, { ...body, limit: 5 })).statusCode, 400)
  const unknown = await org.get(`${path}/jobs/${'0'.repeat(24)}`)
  assert.deepEqual([unknown.statusCode, unknown.json().reason], [404, 'import_job_not_found'])
  // A source that is not there, and one that answers nonsense.
  const readFrom = async (source: object) => {
    ok(await org.put(`${path}/config`, { ...body, source: { ...body.source, ...source } }))
    const res = await org.get(`${path}/users`)
    return [res.statusCode, res.json().reason]
  }
  assert.deepEqual(await readFrom({ listPath: '/nowhere' }), [400, 'source_failed'])
  await lab.close()
  app.contexts.imports.wait = async () => {}
  assert.deepEqual(await readFrom({}), [503, 'source_unavailable'])
})

test('people of the source are listed, filtered, sorted, counted and paged', async () => {
  const people = generatePeople(30).map((one) => ({ ...one, groups: [] }))
  const lab = await startPeople({ people })
  const { org, path, run } = await connectPeople(app, lab, {
    limits: { changes: { percent: null } },
  })
  lab.people = people.slice(0, 10)
  await run()
  lab.people = people.map((one, at) => (at < 3 ? { ...one, title: 'Fellow' } : one))
  const get = async (query: string) => {
    const res = ok(await org.get(`${path}/users?${query}`))
    return { users: res.json(), headers: res.headers }
  }
  const all = await get('limit=100')
  assert.equal(all.headers['x-total-count'], '30')
  const statuses = all.users.map(({ status }: { status: string }) => status)
  assert.deepEqual(
    ['changed', 'unchanged', 'new'].map((one) => statuses.filter((s: string) => s === one).length),
    [3, 7, 20],
  )
  assert.equal(all.users[0].id, 'P000001')
  const some = await get('limit=2&skip=29')
  assert.deepEqual([some.users.length, some.headers['x-total-count']], [1, '30'])
  const sorted = await get('limit=100&sort=email&sortOrder=desc')
  const emails = sorted.users.map(({ email }: { email: string }) => email)
  assert.deepEqual(emails, [...emails].sort().reverse())
  const found = await get(`filter=${people[4]!.username.toUpperCase()}`)
  assert.deepEqual([found.users.length, found.headers['x-total-count']], [1, '1'])
  const counted = await get('isCount=true')
  assert.deepEqual([counted.users, counted.headers['x-total-count']], [[], '30'])
  const seen = []
  for (let cursor = ''; ; ) {
    const page = await get(`limit=12&isCursor=true${cursor && `&cursor=${cursor}`}`)
    seen.push(...page.users.map(({ id }: { id: string }) => id))
    cursor = page.headers['x-cursor'] as string
    if (!cursor) break
  }
  assert.deepEqual(
    seen,
    people.map(({ id }) => id),
  )
  assert.equal((await org.get(`${path}/users?cursor=x`)).json().reason, 'bad_cursor')
})

test('a job needs an active, configured application', async () => {
  const lab = await startPeople({ people: 1 })
  const { org, id, path, body } = await connectPeople(app, lab)
  const post = (more: object) => org.post(`${path}/jobs`, { operations: ['users.create'], ...more })
  for (const bad of [
    { operations: [] },
    { operations: ['users.delete'] },
    { operations: 'users.create' },
    { allowUserReactivation: 'perhaps' },
    { queryString: 5 },
    { state: 'GONE' },
  ])
    assert.equal((await post(bad)).statusCode, 400, JSON.stringify(bad))
  assert.equal((await org.post(`${path}/jobs`, {})).statusCode, 400)
  const started = ok(await post({ whatever: 1 })).json()
  assert.equal(started._id, started.jobId)
  ok(await org.put(`${path}/config`, { ...body, active: false }))
  assert.equal((await post({})).json().reason, 'import_inactive')
  ok(await org.put(`${path}/config`, body))
  await app.runDueJobs()
  ok(await org.put(`/api/applications/${id}`, { active: false, name: 'saml2' }))
  assert.equal((await post({})).json().reason, 'import_inactive')
  const other = await addApplication(org)
  const bare = await org.post(`/api/v2/applications/${other.id}/import/jobs`, {
    operations: ['users.create'],
  })
  assert.deepEqual([bare.statusCode, bare.json().reason], [400, 'import_not_configured'])
  const unknown = await org.post(`/api/v2/applications/${'0'.repeat(24)}/import/jobs`, {
    operations: ['users.create'],
  })
  assert.equal(unknown.statusCode, 404)
})

test('a CSV file is uploaded and imported on the default mapping', async () => {
  const org = await app.newOrganization()
  const { id } = await addApplication(org)
  const path = `/api/v2/applications/${id}/import`
  ok(await org.put(`${path}/config`, { source: { kind: 'file', format: 'csv' } }))
  const start = () => org.post(`${path}/jobs`, CREATE)
  assert.equal((await start()).json().reason, 'file_missing')
  const csv = [
    'Employee ID,Username,Work Email,First Name,Last Name,Department',
    '1,ada,ada@example.com,Ada,Lovelace,"Analysis, Engines"',
    '2,grace,grace@example.com,Grace,Hopper,Navy',
    '3,broken,not an address,No,Name,',
    '2,other,other@example.com,The,Same,',
  ].join('\r\n')
  const put = (content: string) =>
    org.put(`${path}/file?name=people.csv`, content, { 'content-type': 'text/csv' })
  ok(await put(csv), 204)
  assert.equal((await org.get(`${path}/config`)).json().file.name, 'people.csv')
  const { run, results, start: queue } = jobsOf(app, org, path)
  await queue({ dryRun: true })
  assert.equal((await put(csv)).json().reason, 'import_planning')
  await app.runDueJobs()
  ok(await put(csv), 204)
  const job = await run()
  assert.deepEqual([job.planned.create, job.failed], [2, 2], JSON.stringify(await results(job.id)))
  const users = await usersOf(org)
  assert.equal(users.get('ada')!.department, 'Analysis, Engines')
  assert.equal(users.get('ada')!.creationSource, 'gatehouse:bulk')
  assert.equal(users.get('grace')!.employeeIdentifier, '2')
  const refusals: [string, Response][] = [
    ['file_empty', await put('')],
    ['bad_query', await org.post(`${path}/jobs`, { ...CREATE, queryString: 'x=1' })],
  ]
  const people = await startPeople({ people: 1 })
  const other = await connectPeople(app, people)
  refusals.push([
    'not_a_file',
    await other.org.put(`${other.path}/file`, csv, { 'content-type': 'text/csv' }),
  ])
  for (const [reason, res] of refusals)
    assert.deepEqual([res.statusCode, res.json().reason], [400, reason])
})

test('people come from a SCIM service', async () => {
  const lab = await startScimLab({})
  const org = await app.newOrganization()
  app.secrets.add(lab.token)
  for (const name of ['ada', 'bob'])
    await fetch(`${lab.url}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lab.token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: name,
        name: { givenName: name.toUpperCase(), familyName: 'Scim' },
        emails: [{ value: `${name}@example.com`, primary: true }],
        active: name === 'ada',
      }),
    })
  const { id } = await addApplication(org)
  const path = `/api/v2/applications/${id}/import`
  const auth = { type: 'bearer', token: lab.token }
  ok(await org.put(`${path}/config`, { source: { kind: 'scim', baseUrl: lab.url, auth } }))
  const job = await jobsOf(app, org, path).run()
  assert.equal(job.planned.create, 2, JSON.stringify(job))
  const users = await usersOf(org)
  assert.deepEqual([users.get('ada')!.state, users.get('bob')!.state], ['ACTIVATED', 'SUSPENDED'])
  assert.equal(users.get('ada')!.creationSource, 'gatehouse:scim')
  await lab.close()
})

test('a schedule starts jobs', async () => {
  const lab = await startPeople({ people: 3 })
  const { org, id, path, body } = await connectPeople(app, lab, { schedule: '*/5 * * * *' })
  const { nextRun } = ok(await org.get(`${path}/config`)).json()
  assert.ok(Date.parse(nextRun) > Date.now())
  const turn = { organizationId: org.organizationId, applicationId: id, at: nextRun }
  for (let twice = 0; twice < 2; twice++) {
    await app.db.tx(null, (tx) => app.queue.send(tx, runScheduledImportJob, turn))
    await app.runDueJobs()
  }
  const jobs = ok(await org.get(`${path}/jobs`)).json()
  assert.deepEqual(
    jobs.map(({ startedBy, status }: { startedBy: object; status: string }) => [startedBy, status]),
    [[{ type: 'system', name: 'import schedule' }, 'finished']],
  )
  ok(await org.put(`${path}/config`, { ...body, schedule: null }))
  assert.equal((await org.get(`${path}/config`)).json().nextRun, null)
})

test('a scheduled run takes the place of one that waits for confirmation', async () => {
  const lab = await startPeople({ people: 40 })
  const { org, id, path, run, job } = await connectPeople(app, lab, { schedule: '*/5 * * * *' })
  await run()
  lab.people = lab.people.map((one) => ({ ...one, status: 'terminated' as const }))
  const waiting = await run()
  assert.equal(waiting.status, 'waiting')
  const turn = async () => {
    const { nextRun: at } = ok(await org.get(`${path}/config`)).json()
    await app.db.tx(null, (tx) =>
      app.queue.send(tx, runScheduledImportJob, {
        organizationId: org.organizationId,
        applicationId: id,
        at,
      }),
    )
    await app.runDueJobs()
  }
  await turn()
  await turn()
  const states = ok(await org.get(`${path}/jobs`))
    .json()
    .map(({ status }: { status: string }) => status)
  assert.deepEqual(states, ['waiting', 'cancelled', 'cancelled', 'finished'])
  assert.equal((await job(waiting.id)).status, 'cancelled')
  const [event] = (await org.events()).filter(
    ({ event_type }) => event_type === 'import_job_cancel',
  )
  assert.equal((event!.correlation as { id: string }).id, waiting.id)
  assert.equal((event!.initiated_by as { type: string }).type, 'system')
})

test('roles and other organizations', async () => {
  const lab = await startPeople({ people: 1 })
  const { org, path, body, run } = await connectPeople(app, lab)
  const job = await run()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  ok(await reader.get(`${path}/config`))
  ok(await reader.get(`${path}/jobs/${job.id}/results`))
  assert.equal((await reader.put(`${path}/config`, body)).statusCode, 403)
  assert.equal(
    (await reader.post(`${path}/jobs`, { operations: ['users.create'] })).statusCode,
    403,
  )
  const stranger = await app.newOrganization()
  for (const url of ['config', 'jobs', `jobs/${job.id}`, `jobs/${job.id}/results`, 'users'])
    assert.equal((await stranger.get(`${path}/${url}`)).statusCode, 404, url)
  assert.equal((await stranger.post(`${path}/jobs/${job.id}/undo`)).statusCode, 404)
})
