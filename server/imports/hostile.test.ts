import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { generatePeople } from '../../lab/generated-people.ts'
import { startApp } from '../../test/harness.ts'
import {
  connectPeople,
  ok,
  PEOPLE_MAPPING,
  peopleConfig,
  startPeople,
  usersOf,
} from '../../test/imports/world.ts'
import { addApplication } from '../../test/sso/world.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
const SECRET = 'token-of-the-hr-system'
app.secrets.add(SECRET)
const lab = await startPeople({ people: generatePeople(3).map((one) => ({ ...one, groups: [] })) })
const world = await connectPeople(app, lab, { limits: { changes: { percent: null } } })
const { org, path, body } = world

/** A source that always sends this. */
async function startSource(answer: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('bad input is refused with the name of its field', async () => {
  const source = body.source
  const rule = (target: string, value: object = { source: 'x' }) => ({
    ...body,
    mapping: [...PEOPLE_MAPPING, { target, value }],
  })
  const attempts: [string, string, unknown, RegExp][] = [
    ['PUT', '/config', {}, /source/],
    ['PUT', '/config', { ...body, source: { ...source, kind: 'ldap' } }, /source|kind/],
    [
      'PUT',
      '/config',
      { ...body, source: { ...source, baseUrl: 'file:///etc/passwd' } },
      /baseUrl/,
    ],
    ['PUT', '/config', { ...body, source: { ...source, baseUrl: 'http://10.0.0.1/' } }, /baseUrl/],
    ['PUT', '/config', { ...body, source: { ...source, paging: { type: 'x' } } }, /paging/],
    ['PUT', '/config', { ...body, schedule: 'every day' }, /schedule/],
    ['PUT', '/config', { ...body, schedule: '* * * * * *' }, /schedule/],
    ['PUT', '/config', { ...body, missing: { action: 'delete' } }, /missing/],
    ['PUT', '/config', { ...body, missing: { action: 'suspend', after: 0 } }, /after/],
    ['PUT', '/config', { ...body, limits: { changes: { percent: 101 } } }, /percent/],
    ['PUT', '/config', { ...body, operations: ['users.delete'] }, /operations/],
    ['PUT', '/config', { ...body, active: 'yes' }, /active/],
    ['PUT', '/config', { ...body, surprise: true }, /body must not have "surprise"/],
    ...['password', 'sudo', 'mfa', 'ssh_keys', 'restrictedFields', '__proto__', 'id'].map(
      (target): [string, string, unknown, RegExp] => ['PUT', '/config', rule(target), /mapping\[/],
    ),
    ['POST', '/config/preview', { mapping: rule('password').mapping }, /mapping\[/],
    ['POST', '/config/preview', { limit: 0 }, /limit/],
    ['POST', '/jobs', {}, /operations/],
    ['POST', '/jobs', { operations: [] }, /operations/],
    ['POST', '/jobs', { operations: ['users.delete'] }, /operations/],
    ['POST', '/jobs', { operations: 'users.create' }, /operations/],
    ['POST', '/jobs', { operations: ['users.create'], state: 'GONE' }, /state/],
    [
      'POST',
      '/jobs',
      { operations: ['users.create'], queryString: 'x'.repeat(5000) },
      /queryString/,
    ],
    ['POST', '/jobs', { operations: ['users.create'], dryRun: 'maybe' }, /dryRun/],
    [
      'POST',
      '/jobs',
      { operations: ['users.create'], allowUserReactivation: {} },
      /allowUserReactivation/,
    ],
  ]
  for (const [method, at, sent, field] of attempts) {
    const res = await org[method === 'PUT' ? 'put' : 'post'](`${path}${at}`, sent as object)
    const where = `${method} ${at} ${JSON.stringify(sent)?.slice(0, 300)}: ${res.body}`
    assert.equal(res.statusCode, 400, where)
    assert.match(res.json().message, field, where)
  }
  for (const query of [
    'limit=0',
    'limit=1001',
    'skip=-1',
    'sort=password',
    'sortOrder=up',
    'cursor=x',
  ])
    assert.equal((await org.get(`${path}/users?${query}`)).statusCode, 400, query)
  for (const query of ['limit=101', 'skip=x', 'status=Gone', 'success=perhaps'])
    assert.equal((await org.get(`${path}/jobs/${newId()}/results?${query}`)).statusCode, 400, query)
})

test('only an active application with a source can be imported from', async () => {
  const start = (id: string) =>
    org.post(`/api/v2/applications/${id}/import/jobs`, { operations: ['users.create'] })
  assert.equal((await start(newId())).statusCode, 404)
  assert.equal((await start('nonsense')).statusCode, 404)
  const { id } = await addApplication(org)
  const bare = await start(id)
  assert.deepEqual([bare.statusCode, bare.json().reason], [400, 'import_not_configured'])
  const config = `/api/v2/applications/${id}/import/config`
  ok(await org.put(config, { ...peopleConfig(lab.url), active: false }))
  const inactive = await start(id)
  assert.deepEqual([inactive.statusCode, inactive.json().reason], [400, 'import_inactive'])
  ok(await org.put(config, { source: { kind: 'file', format: 'csv' } }))
  const empty = await start(id)
  assert.deepEqual([empty.statusCode, empty.json().reason], [400, 'file_missing'])
})

test('a secret is never returned, and not sent to another host', async () => {
  const { id } = await addApplication(org)
  const config = `/api/v2/applications/${id}/import/config`
  const authorized = { ...body.source, auth: { type: 'bearer', token: SECRET } }
  const kept = { ...body.source, auth: { type: 'bearer' } }
  const answers = [
    ok(await org.put(config, { ...body, source: authorized })),
    ok(await org.get(config)),
    ok(await org.post(`${config}/test`)),
    ok(await org.put(config, { ...body, source: kept })),
  ]
  for (const { body } of answers) assert.ok(!body.includes(SECRET))
  assert.ok(!JSON.stringify(await org.events()).includes(SECRET))
  const moved = await org.put(config, {
    ...body,
    source: { ...kept, baseUrl: 'http://127.0.0.1:1/' },
  })
  assert.deepEqual([moved.statusCode, moved.json().reason], [400, 'secret_required'])
})

test('huge and deep records become parked rows or a failed job, never a crash', async () => {
  const [one] = generatePeople(1).map((person) => ({ ...person, groups: [] }))
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const text = JSON.stringify({
    people: [one, { ...one, id: 'big', title: 'x'.repeat(1_000_000) }],
  })
  const sources: [string, string, number, string?][] = [
    ['a huge value', text, 1],
    ['a deep value', `{"people":[{"id":"deep","username":${deep}}]}`, 1],
    [
      'too many groups',
      JSON.stringify({ people: [{ ...one, groups: Array.from({ length: 101 }, String) }] }),
      1,
      'too_many_groups',
    ],
    ['a NUL', JSON.stringify({ people: [{ ...one, title: 'a\u0000b' }] }), 1],
    ['half a surrogate', JSON.stringify({ people: [{ ...one, title: '\ud800' }] }), 1],
  ]
  for (const [what, answer, bad, reason] of sources) {
    const { org, run, results } = await connectPeople(
      app,
      { url: await startSource(answer) },
      {
        source: { ...body.source, baseUrl: await startSource(answer), paging: { type: 'none' } },
      },
    )
    const job = await run()
    const rows = await results(job.id)
    const shown = `${what}: ${JSON.stringify([job, rows]).slice(0, 600)}`
    assert.ok(['finished', 'failed'].includes(job.status), shown)
    if (job.status === 'finished') assert.equal(job.failed, bad, shown)
    if (reason) assert.equal(rows[0].meta.reason, reason)
    for (const { statusMsg } of rows) assert.ok(statusMsg.length < 2000, what)
    assert.ok((await usersOf(org)).size <= 1, what)
  }
})

test('a row whose state is none of ours is parked', async () => {
  const [one] = generatePeople(1).map((person) => ({
    ...person,
    groups: [],
    status: 'leave' as const,
  }))
  const lab = await startPeople({ people: [one!] })
  const mapping = PEOPLE_MAPPING.map((rule) =>
    rule.target === 'state' ? { target: 'state', value: { source: 'status' } } : rule,
  )
  const { org, run, results } = await connectPeople(app, lab, { mapping })
  const [row] = await results((await run()).id)
  assert.equal(row.meta.reason, 'bad_state')
  assert.match(row.statusMsg, /state: must be one of .*, not "LEAVE"/)
  assert.equal((await usersOf(org)).size, 0)
})

test('more people than fit into memory are not sorted', async () => {
  const records = Array.from({ length: 100_001 }, (_, id) => ({ id }))
  const source = { ...body.source, baseUrl: await startSource(JSON.stringify({ people: records })) }
  const mapping = ['externalId', 'username'].map((target) => ({ target, value: { source: 'id' } }))
  const large = await connectPeople(app, lab, {
    source: { ...source, paging: { type: 'none' } },
    mapping,
  })
  const res = await large.org.get(`${large.path}/users?sort=email`)
  assert.deepEqual([res.statusCode, res.json().reason], [400, 'too_many_to_sort'], res.body)
  assert.match(res.json().message, /100000 records/)
})

test('a record that takes too much work is parked, and the next one is read', async () => {
  const [one] = generatePeople(1).map((person) => ({ ...person, groups: [] }))
  const people = [
    { ...one, note: 'x'.repeat(9000) },
    { ...one, note: 'short' },
  ]
  const url = await startSource(JSON.stringify({ people }))
  const { id } = await addApplication(org)
  const config = `/api/v2/applications/${id}/import/config`
  const conditions = Array.from({ length: 1000 }, (_, at) => ({
    field: 'note',
    operator: 'contains' as const,
    value: `!${at}`,
  }))
  const description = { target: 'description', value: { source: 'note' }, when: { or: conditions } }
  const { paging: _, ...source } = { ...peopleConfig(url).source }
  ok(await org.put(config, { source, mapping: [...PEOPLE_MAPPING, description] }))
  const rows = ok(await org.post(`${config}/preview`, {})).json()
  assert.deepEqual(
    rows.map(({ action, reason }: Record<string, unknown>) => [action, reason]),
    [
      ['park', 'mapping_too_costly'],
      ['create', null],
    ],
  )
  assert.match(rows[0].message, /description: takes more work than 2000000 characters/)
})
