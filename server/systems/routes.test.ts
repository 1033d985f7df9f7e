import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol, newKeyPair } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { purgeSystemsJob } from './jobs.ts'
import { System } from './schema.ts'

const app = await startApp()
const { publicKey } = newKeyPair()

async function organizationWith(hostnames: string[]) {
  const org = await app.newOrganization()
  const ids: string[] = []
  for (const hostname of hostnames) ids.push(await enrol(app.http, org, publicKey, { hostname }))
  await app.db.tx(org.organizationId, async (tx) => tx.execute('delete from events'))
  return { ...org, ids }
}
const hostnames = (res: { json: () => { results: { hostname: string }[] } }) =>
  res.json().results.map(({ hostname }) => hostname)

test('GET returns the full record, with _id and id', async () => {
  const { get, ids, organizationId } = await organizationWith(['web-1'])
  const system = (await get(`/api/systems/${ids[0]}`)).json()
  assert.equal(system._id, ids[0])
  assert.equal(system.id, ids[0])
  assert.equal(system.hostname, 'web-1')
  assert.equal(system.displayName, 'web-1')
  assert.equal(system.organization, organizationId)
  assert.equal(system.osFamily, 'linux')
  assert.equal(system.active, true)
  assert.equal(system.allowSshRootLogin, false)
  assert.deepEqual(system.fde, { active: false, keyPresent: false })
  assert.deepEqual(system.primarySystemUser, { id: null })
  assert.equal(system.provisionMetadata.provisioner.type, 'administrator')
  assert.deepEqual(
    system.builtInCommands.map((command: { name: string }) => command.name),
    ['erase', 'lock', 'restart', 'shutdown'],
  )
  assert.deepEqual(Object.keys(system).sort(), Object.keys(System.properties).sort())
})

test('the list pages, sorts, filters, projects and counts; an empty list has both members', async () => {
  const org = await organizationWith(['c', 'a', 'b'])
  const list = await org.get('/api/systems?sort=-hostname&limit=2')
  assert.equal(list.json().totalCount, 3)
  assert.deepEqual(hostnames(list), ['c', 'b'])
  const cases: [string, string[]][] = [
    ['sort=hostname', ['a', 'b', 'c']],
    ['sort=hostname&skip=2', ['c']],
    ['skip=9', []],
    ['filter=hostname:$eq:a', ['a']],
    ['filter[or][0]=hostname:$eq:a&filter[or][1]=hostname:$eq:b&sort=hostname', ['a', 'b']],
    [`filter=_id:$eq:${org.ids[0]}`, ['c']],
    ['filter=osFamily:$eq:linux&filter=hostname:$gt:a&sort=hostname', ['b', 'c']],
    ['filter=allowSshRootLogin:$eq:true', []],
    ['filter=allowSshRootLogin:$eq:false&sort=hostname', ['a', 'b', 'c']],
    ['filter=fde.active:$eq:false&sort=hostname', ['a', 'b', 'c']],
    ['filter=active:$eq:true&sort=hostname', ['a', 'b', 'c']],
    ['search={"searchTerm":"A","fields":["hostname"]}', ['a']],
  ]
  for (const [query, expected] of cases)
    assert.deepEqual(hostnames(await org.get(`/api/systems?${query}`)), expected, query)
  const [first] = (await org.get('/api/systems?fields=hostname os&limit=1')).json().results
  assert.deepEqual(Object.keys(first).sort(), ['_id', 'hostname', 'id', 'os'])
  const other = await app.newOrganization()
  assert.deepEqual((await other.get('/api/systems')).json(), { totalCount: 0, results: [] })
})

test('a page of a thousand is returned in full, and paging by _id misses nothing', async () => {
  const org = await app.newOrganization()
  const ids = Array.from({ length: 1001 }, () => newId())
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(sql`
      insert into systems (organization_id, id, hostname)
      select ${org.organizationId}, id, 'host' from unnest(${ids}::text[]) as id`),
  )
  const page = async (skip: number) =>
    (await org.get(`/api/systems?limit=1000&skip=${skip}&sort=_id`)).json().results
  const found = [...(await page(0)), ...(await page(1000))].map(({ _id }: { _id: string }) => _id)
  assert.deepEqual(found, ids.sort())
})

test('search accepts filters, regular expressions and terms', async () => {
  const org = await organizationWith(['web-1', 'web-2', 'db-1'])
  const cases: [object, string[]][] = [
    [
      { filter: { and: [{ hostname: { $regex: '(?i)^WEB' } }] }, sort: 'hostname' },
      ['web-1', 'web-2'],
    ],
    [{ filter: [{ hostname: 'db-1' }] }, ['db-1']],
    [
      { filter: { or: [{ hostname: 'db-1' }, { hostname: 'web-1' }] }, sort: 'hostname' },
      ['db-1', 'web-1'],
    ],
    [{ filter: { allowSshRootLogin: 'false', hostname: 'db-1' } }, ['db-1']],
    [
      { searchFilter: { searchTerm: 'b-1', fields: ['hostname'] }, sort: '-hostname' },
      ['web-1', 'db-1'],
    ],
    [{ limit: 1, skip: 1, sort: 'hostname' }, ['web-1']],
  ]
  for (const [body, expected] of cases) {
    const res = await org.post('/api/search/systems', body)
    assert.equal(res.statusCode, 200, JSON.stringify(body))
    assert.deepEqual(hostnames(res), expected, JSON.stringify(body))
  }
  const both = await org.post('/api/search/systems?limit=1&skip=2', {
    limit: 1,
    skip: 2,
    sort: 'hostname',
  })
  assert.deepEqual(hostnames(both), ['web-2'])
  assert.equal((await org.post('/api/search/systems', { filter: { nope: 1 } })).statusCode, 400)
})

test('a search includes the groups and the primary user of a system, under dotted names', async () => {
  const org = await organizationWith(['web-1', 'web-2'])
  const group = (await org.post('/api/v2/systemgroups', { name: 'Servers' })).json().id
  const member = { op: 'add', type: 'system', id: org.ids[0] }
  await org.post(`/api/v2/systemgroups/${group}/members`, member)
  const person = { username: 'ada', email: 'ada@example.com', department: 'Design' }
  const user = (await org.post('/api/systemusers', person)).json().id
  await org.put(`/api/systems/${org.ids[0]}`, { primarySystemUser: { id: user } })
  const nobody = await org.put(`/api/systems/${org.ids[0]}`, { primarySystemUser: { id: 'ada' } })
  assert.deepEqual([nobody.statusCode, nobody.json().reason], [400, 'bad_user_id'])

  const [first, second] = (await org.post('/api/search/systems', { sort: 'hostname' })).json()
    .results
  assert.deepEqual(first.memberof, [group])
  assert.equal(first['primarySystemUser._id'], user)
  assert.equal(first['primarySystemUser.email'], 'ada@example.com')
  assert.equal(first['primarySystemUser.department'], 'Design')
  assert.deepEqual(second.memberof, [])
  assert.ok(!('primarySystemUser.email' in second))
  const body = { fields: ['hostname', 'primarySystemUser.email'], filter: [{ hostname: 'web-1' }] }
  const [chosen] = (await org.post('/api/search/systems', body)).json().results
  assert.deepEqual(Object.keys(chosen).sort(), [
    '_id',
    'hostname',
    'id',
    'primarySystemUser',
    'primarySystemUser.email',
  ])
  assert.equal(
    (await org.put(`/api/systems/${org.ids[0]}`, { primarySystemUser: { id: newId() } }))
      .statusCode,
    400,
  )
  const cleared = await org.put(`/api/systems/${org.ids[0]}`, { primarySystemUser: { id: null } })
  assert.deepEqual(cleared.json().primarySystemUser, { id: null })
})

test('a change keeps omitted members, accepts flags as strings, and leaves one event', async () => {
  const org = await organizationWith(['web-1'])
  const url = `/api/systems/${org.ids[0]}`
  const res = await org.put(url, {
    displayName: 'Front',
    allowSshRootLogin: 'true',
    allowPublicKeyAuthentication: false,
    attributes: [{ name: 'rack', value: 'r1' }],
    hostname: 'ignored',
    unknown: { anything: true },
  })
  assert.equal(res.statusCode, 200)
  const { displayName, hostname, allowSshRootLogin, attributes, allowSshPasswordAuthentication } =
    res.json()
  assert.deepEqual(
    [displayName, hostname, allowSshRootLogin, allowSshPasswordAuthentication],
    ['Front', 'web-1', true, true],
  )
  assert.deepEqual(attributes, [{ name: 'rack', value: 'r1' }])
  assert.deepEqual((await org.get(url)).json(), { ...res.json() })
  const [event, ...more] = await org.events()
  assert.deepEqual(more, [])
  assert.equal(event?.event_type, 'system_update')
  assert.deepEqual(event?.resource, { type: 'system', id: org.ids[0], name: 'front' })
  assert.deepEqual((event!.changes as { field: string }[]).map(({ field }) => field).sort(), [
    'allowPublicKeyAuthentication',
    'allowSshRootLogin',
    'attributes',
    'displayName',
  ])
  // Repeating it changes nothing and leaves no event.
  await org.put(url, { displayName: 'Front', description: null })
  assert.equal((await org.events()).length, 1)
})

test('bad input is 400, names the field and changes nothing', async () => {
  const org = await organizationWith(['web-1'])
  const url = `/api/systems/${org.ids[0]}`
  const cases: [object, RegExp][] = [
    [{ displayName: 7 }, /displayName/],
    [{ allowSshRootLogin: 'yes' }, /allowSshRootLogin/],
    [{ attributes: [{ name: 'a', value: 'x'.repeat(1025) }] }, /attributes/],
    [
      {
        attributes: [
          { name: 'a', value: '1' },
          { name: 'a', value: '2' },
        ],
      },
      /attributes/,
    ],
    [{ attributes: [{ value: '1' }] }, /attributes/],
    [{ primarySystemUser: { id: 'nobody' } }, /primarySystemUser/],
    [{ displayName: 'other', tags: 'not a list' }, /tags/],
  ]
  for (const [body, message] of cases) {
    const res = await org.put(url, body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.match(JSON.stringify(res.json()), message)
  }
  assert.equal((await org.get('/api/systems?filter=nope:$eq:1')).statusCode, 400)
  assert.equal((await org.get(url)).json().displayName, 'web-1')
  assert.deepEqual(await org.events(), [])
})

test('roles without the scope are refused', async () => {
  const org = await organizationWith(['web-1'])
  const url = `/api/systems/${org.ids[0]}`
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.equal((await reader.get(url)).statusCode, 200)
  assert.equal((await reader.put(url, { displayName: 'x' })).statusCode, 403)
  assert.equal((await reader.delete(url)).statusCode, 403)
  assert.equal((await reader.post(`${url}/restore`)).statusCode, 403)
  assert.equal((await reader.get('/api/v2/connect-key')).statusCode, 403)
  assert.equal((await reader.post('/api/v2/connect-key/rotate')).statusCode, 403)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(url)).statusCode, 403)
  assert.equal((await runner.post('/api/search/systems', {})).statusCode, 200)
  assert.equal((await app.anonymous.get(url)).statusCode, 401)
})

test('another organization neither sees nor changes a system', async () => {
  const org = await organizationWith(['web-1'])
  const other = await app.newOrganization()
  const url = `/api/systems/${org.ids[0]}`
  for (const call of [
    () => other.get(url),
    () => other.put(url, { displayName: 'mine' }),
    () => other.delete(url),
    () => other.post(`${url}/restore`),
    () => other.get(`${url}/sshkeys`),
    () => org.get('/api/systems/nonsense'),
    () => org.get(`/api/systems/${newId()}`),
  ])
    assert.equal((await call()).statusCode, 404)
  assert.equal((await other.post('/api/search/systems', {})).json().totalCount, 0)
  assert.equal((await org.get(url)).json().displayName, 'web-1')
})

test('a deleted system is gone, can be restored for 30 days, and is then purged', async () => {
  const org = await organizationWith(['web-1', 'web-2'])
  const url = `/api/systems/${org.ids[0]}`
  const gone = await org.delete(url)
  assert.equal(gone.statusCode, 200)
  assert.equal(gone.json().hostname, 'web-1')
  assert.equal((await org.get(url)).statusCode, 404)
  assert.deepEqual(hostnames(await org.get('/api/systems')), ['web-2'])
  assert.equal((await org.delete(url)).statusCode, 404)

  const back = await org.post(`${url}/restore`)
  assert.equal(back.statusCode, 200)
  assert.equal((await org.get(url)).json().hostname, 'web-1')
  assert.equal((await org.post(`${url}/restore`)).statusCode, 404)
  assert.deepEqual(await org.eventTypes(), ['system_delete', 'system_restore'])

  await org.delete(url)
  await org.delete(`/api/systems/${org.ids[1]}`)
  await app.db.tx(org.organizationId, (tx) =>
    tx.run(
      sql`update systems set deleted_at = now() - interval '31 days' where id = ${org.ids[0]}`,
    ),
  )
  await app.db.tx(null, (tx) => app.queue.send(tx, purgeSystemsJob, {}))
  await app.runDueJobs()
  assert.equal((await org.post(`${url}/restore`)).statusCode, 404)
  assert.equal((await org.post(`/api/systems/${org.ids[1]}/restore`)).statusCode, 200)
})

test('a purged primary user is cleared', async () => {
  const org = await organizationWith(['web-1'])
  const url = `/api/systems/${org.ids[0]}`
  const user = await addUser(org)
  await org.put(url, { primarySystemUser: { id: user.id } })
  const primary = async () => (await org.get(url)).json().primarySystemUser.id
  const purge = async () => {
    await app.db.tx(null, (tx) => app.queue.send(tx, purgeSystemsJob, {}))
    await app.runDueJobs()
  }
  await org.delete(`/api/systemusers/${user.id}`)
  await purge()
  assert.equal(await primary(), user.id, 'the user may be restored')
  await app.db.tx(org.organizationId, (tx) => tx.run(sql`delete from users where id = ${user.id}`))
  await purge()
  assert.equal(await primary(), null)
})

test('paths are case-insensitive and may end in a slash', async () => {
  const org = await organizationWith(['web-1'])
  assert.equal((await org.get(`/api/Systems/${org.ids[0]}/`)).statusCode, 200)
})

test('a system has no policies, no software and no recovery key', async () => {
  const org = await organizationWith(['web-1'])
  const url = `/api/v2/systems/${org.ids[0]}`
  for (const sub of ['policystatuses', 'softwareappstatuses']) {
    const res = await org.get(`${url}/${sub}?limit=10&filter=status:eq:failed`)
    assert.equal(res.statusCode, 200, res.body)
    assert.deepEqual([res.json(), res.headers['x-total-count']], [[], '0'])
    assert.equal((await org.get(`${url}/${sub}?limit=many`)).statusCode, 400)
    assert.equal((await org.get(`/api/v2/systems/${newId()}/${sub}`)).statusCode, 404)
  }
  const key = await org.get(`${url}/fdekey`)
  assert.equal(key.statusCode, 404)
  assert.equal(key.json().reason, 'fde_key_not_found')
  const unknown = await org.get(`/api/v2/systems/${newId()}/fdekey`)
  assert.deepEqual([unknown.statusCode, unknown.json().reason], [404, 'system_not_found'])
  assert.doesNotMatch(unknown.json().message, /fdekey/)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  for (const sub of ['policystatuses', 'softwareappstatuses', 'fdekey'])
    assert.equal((await runner.get(`${url}/${sub}`)).statusCode, 403)
})
