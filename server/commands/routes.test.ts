import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol, newKeyPair, signedCaller } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'
import { ROOT } from './records.ts'
import { Command } from './schema.ts'

const app = await startApp()
const pair = newKeyPair()
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const create = async (org: Org, body: object = {}) => {
  const res = await org.post('/api/commands', { name: 'List', command: 'ls', ...body })
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
const forget = (org: Org) =>
  app.db.tx(org.organizationId, async (tx) => tx.execute('delete from events'))
const bind = async (org: Org, commandId: string, type: string, id: string) => {
  const body = { op: 'add', type, id }
  const res = await org.post(`/api/v2/commands/${commandId}/associations`, body)
  assert.equal(res.statusCode, 204, res.body)
}

test('a command is created with defaults, read back in full, and leaves an event', async () => {
  const org = await app.newOrganization()
  const command = await create(org, { timeout: '30', sudo: 'true', unknown: 1, systems: ['x'] })
  assert.equal(command._id, command.id)
  assert.equal(command.commandType, 'linux')
  assert.equal(command.launchType, 'manual')
  assert.equal(command.user, ROOT)
  assert.equal(command.timeout, '30')
  assert.equal(command.sudo, true)
  const missing = Object.keys(Command.properties).filter((name) => !(name in command))
  assert.deepEqual(missing, ['scheduleYear', 'timeToLiveSeconds'])
  assert.deepEqual((await org.get(`/api/commands/${command.id}`)).json(), command)
  const [event, ...more] = await org.events()
  assert.deepEqual(more, [])
  assert.equal(event?.event_type, 'command_create')
  assert.deepEqual(event?.resource, { type: 'command', id: command.id, name: 'list' })
})

test('PUT replaces the whole command', async () => {
  const org = await app.newOrganization()
  const { id } = await create(org, { commandType: 'mac', timeout: '30', description: 'first' })
  await forget(org)
  const res = await org.put(`/api/commands/${id}`, { name: 'Other', command: 'pwd' })
  assert.equal(res.statusCode, 200)
  const { name, commandType, timeout, description } = res.json()
  assert.deepEqual([name, commandType, timeout, description], ['Other', 'linux', '120', ''])
  await org.put(`/api/commands/${id}`, { name: 'Other', command: 'pwd' })
  const events = await org.events()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['command_update'],
  )
  const fields = (events[0]!.changes as { field: string }[]).map(({ field }) => field)
  assert.deepEqual(fields.sort(), ['command', 'commandType', 'description', 'name', 'timeout'])
  const gone = await org.delete(`/api/commands/${id}`)
  assert.equal(gone.json().name, 'Other')
  assert.equal((await org.get(`/api/commands/${id}`)).statusCode, 404)
  assert.deepEqual(await org.eventTypes(), ['command_update', 'command_delete'])
})

test('bad input is 400, names the field and changes nothing', async () => {
  const org = await app.newOrganization()
  const { id } = await create(org)
  await forget(org)
  for (const [body, message] of [
    [{ command: 'ls' }, /name/],
    [{ name: 'x' }, /command/],
    [{ name: 'x', command: 'ls', commandType: 'vms' }, /commandType/],
    [{ name: 'x', command: 'ls', timeout: '86401' }, /timeout/],
    [{ name: 'x', command: 'ls', timeout: 'soon' }, /timeout/],
    [{ name: 'x', command: 'ls', user: newId() }, /user/],
    [{ name: 'x', command: 'ls', launchType: 'trigger' }, /trigger/],
    [{ name: 'x', command: 'ls', launchType: 'whenever' }, /launchType/],
    [{ name: 'x', command: 'ls', launchType: 'repeated', schedule: 'often' }, /schedule/],
    [{ name: 'x', command: 'ls', launchType: 'repeated', schedule: '* * * * * *' }, /schedule/],
    [{ name: 'x', command: 'ls', filesS3: [{ name: 'a' }] }, /filesS3/],
  ] as const) {
    for (const res of [
      await org.post('/api/commands', body),
      await org.put(`/api/commands/${id}`, body),
    ]) {
      assert.equal(res.statusCode, 400, JSON.stringify(body))
      assert.match(JSON.stringify(res.json()), message)
    }
  }
  assert.equal((await org.get('/api/commands')).json().totalCount, 1)
  assert.deepEqual(await org.events(), [])
})

test('the list sorts by name, filters, searches and truncates long commands', async () => {
  const org = await app.newOrganization()
  for (const name of ['b', 'a', 'c']) await create(org, { name, command: 'x'.repeat(10_001) })
  const names = (res: { json: () => { results: { name: string }[] } }) =>
    res.json().results.map(({ name }) => name)
  const list = await org.get('/api/commands')
  assert.deepEqual(names(list), ['a', 'b', 'c'])
  assert.equal(list.json().results[0].command.length, 10_000)
  assert.deepEqual(names(await org.get('/api/commands?filter=name:$eq:b')), ['b'])
  assert.deepEqual(names(await org.get('/api/commands?sort=-name&limit=1')), ['c'])
  const searched = await org.post('/api/search/commands', {
    filter: [{ name: { $regex: '(?i)^A' } }],
  })
  assert.deepEqual(names(searched), ['a'])
})

test('roles and organizations are kept apart', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  const { id } = await create(org)
  const body = { name: 'x', command: 'ls' }
  for (const call of [
    () => other.get(`/api/commands/${id}`),
    () => other.put(`/api/commands/${id}`, body),
    () => other.delete(`/api/commands/${id}`),
    () => other.get(`/api/commands/${id}/results`),
    () => other.get(`/api/files/command/${id}`),
    () => other.post('/api/runCommand', { _id: id }),
    () => other.get('/api/commands/nonsense'),
  ])
    assert.equal((await call()).statusCode, 404)
  assert.equal((await other.get('/api/commands')).json().totalCount, 0)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.equal((await reader.get(`/api/commands/${id}`)).statusCode, 200)
  for (const call of [
    () => reader.post('/api/commands', body),
    () => reader.put(`/api/commands/${id}`, body),
    () => reader.delete(`/api/commands/${id}`),
    () => reader.post('/api/runCommand', { _id: id }),
    () => reader.post('/api/command/trigger/x', {}),
    () => reader.delete(`/api/commandresults/${newId()}`),
    () => reader.delete(`/api/v2/commandqueue/${newId()}`),
  ])
    assert.equal((await call()).statusCode, 403)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get('/api/commands')).statusCode, 200)
  assert.equal((await runner.post('/api/commands', body)).statusCode, 403)
  const systemId = await enrol(app.http, org, pair.publicKey)
  await bind(org, id, 'system', systemId)
  assert.equal((await runner.post('/api/runCommand', { _id: id })).statusCode, 200)
})

/** Fetches orders as an agent would and returns their text. */
async function fetchOrders(call: ReturnType<typeof signedCaller>) {
  const res = await call('GET', '/agent/v1/commands')
  assert.equal(res.statusCode, 200, res.body)
  return res.body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const text = Buffer.from(line.split(' ')[0]!, 'base64').toString()
      return Object.fromEntries(
        text
          .trim()
          .split('\n')
          .map((row) => [row.split(' ')[0], row.split(' ')[1]]),
      )
    })
}

const answer = (call: ReturnType<typeof signedCaller>, id: string, output = 'done', exitCode = 0) =>
  call('POST', `/agent/v1/commands/${id}/result`, {
    exitCode,
    output: Buffer.from(output).toString('base64'),
    error: '',
  })

test('a run reaches the named systems, or those bound directly or through groups', async () => {
  const org = await app.newOrganization()
  const [direct, member, loose] = await Promise.all(
    ['direct', 'member', 'loose'].map((hostname) =>
      enrol(app.http, org, pair.publicKey, { hostname }),
    ),
  )
  const windows = await enrol(app.http, org, pair.publicKey, { hostname: 'w', osFamily: 'windows' })
  const group = (await org.post('/api/v2/systemgroups', { name: 'Servers' })).json().id
  for (const id of [direct, member, windows])
    await org.post(`/api/v2/systemgroups/${group}/members`, { op: 'add', type: 'system', id })
  const { id } = await create(org)
  await bind(org, id, 'system', direct!)
  await bind(org, id, 'system_group', group)
  await forget(org)

  const run = (await org.post('/api/runCommand', { _id: id })).json()
  assert.equal(run.queueIds.length, 2)
  const [event, ...more] = await org.events()
  assert.deepEqual(more, [])
  assert.equal(event?.event_type, 'command_run')
  assert.deepEqual((event!.changes as [{ to: string[] }])[0].to.toSorted(), [direct, member].sort())
  const calls = [direct, member, loose].map((system) =>
    signedCaller(app.http, system!, pair.privateKey),
  )
  const orders = await Promise.all(calls.map(fetchOrders))
  assert.deepEqual(
    orders.map((list) => list.length),
    [1, 1, 0],
  )
  assert.equal(Buffer.from(orders[0]![0]!.command!, 'base64').toString(), 'ls')

  const named = (await org.post('/api/runCommand', { _id: id, systemIds: [loose] })).json()
  assert.equal(named.queueIds.length, 1)
  const grouped = await org.post('/api/runCommand', { _id: id, systemGroups: [group] })
  assert.deepEqual([grouped.statusCode, grouped.json().reason], [400, 'wrong_system'])
  for (const [body, status] of [
    [{}, 400],
    [{ id }, 400],
    [{ _id: id, systemIds: [newId()] }, 404],
    [{ _id: id, systemGroups: [newId()] }, 404],
    [{ _id: id, systemIds: [loose, windows] }, 400],
    [{ _id: newId() }, 404],
  ] as const)
    assert.equal((await org.post('/api/runCommand', body)).statusCode, status, JSON.stringify(body))
  assert.match((await org.post('/api/runcommand', {})).json().message, /command id is required/)
  assert.equal((await fetchOrders(calls[2]!)).length, 1)
})

test('a result is accepted once, and only from the system that got the order', async () => {
  const org = await app.newOrganization()
  const [first, second] = await Promise.all(
    ['a', 'b'].map((hostname) => enrol(app.http, org, pair.publicKey, { hostname })),
  )
  const [one, two] = [first!, second!].map((id) => signedCaller(app.http, id, pair.privateKey))
  const { id } = await create(org)
  const { queueIds, workflowInstanceId } = (
    await org.post('/api/runCommand', { _id: id, systemIds: [first] })
  ).json()
  const queued = (await org.get('/api/v2/queuedcommand/workflows')).json()
  assert.equal(queued.totalCount, 1)
  assert.equal(queued.results[0].id, workflowInstanceId)
  assert.equal(queued.results[0].pendingCount, 1)

  const output = 'x'.repeat(100)
  assert.equal((await answer(two!, queueIds[0], output)).statusCode, 404)
  const beyond = await answer(one!, newId(), output, 2 ** 31)
  assert.deepEqual([beyond.statusCode, beyond.json().reason], [400, 'bad_exit_code'])
  assert.equal((await answer(one!, queueIds[0], output, 3)).statusCode, 204)
  const unknown = await answer(one!, newId(), output)
  assert.deepEqual([unknown.statusCode, unknown.json().reason], [404, 'order_not_found'])
  assert.equal((await fetchOrders(one!)).length, 0)
  assert.equal((await org.get('/api/v2/queuedcommand/workflows')).json().totalCount, 0)

  const list = (await org.get('/api/commandresults?sort=-responseTime')).json()
  assert.equal(list.totalCount, 1)
  const [summary] = list.results
  assert.equal(summary.response.data.output.length, 40)
  assert.equal(summary.exitCode, 3)
  const result = (await org.get(`/api/commandresults/${summary._id}`)).json()
  assert.equal(result.response.data.output, output)
  assert.equal(result.systemId, first)
  assert.equal(result.system, 'a')
  assert.equal(result.workflowId, id)
  assert.equal(result.workflowInstanceId, workflowInstanceId)
  const ofCommand = await org.get(`/api/commands/${id}/results`)
  assert.deepEqual(ofCommand.json(), [result])
  const found = await org.post('/api/search/commandresults', { filter: 'exitCode:$eq:3' })
  assert.equal(found.json().totalCount, 1)
  const other = await app.newOrganization()
  assert.equal((await other.get(`/api/commandresults/${result._id}`)).statusCode, 404)
  assert.equal((await other.delete(`/api/commandresults/${result._id}`)).statusCode, 404)

  await forget(org)
  assert.equal((await org.delete(`/api/commandresults/${result._id}`)).json()._id, result._id)
  assert.equal((await org.get('/api/commandresults')).json().totalCount, 0)
  assert.deepEqual(await org.eventTypes(), ['commandresult_delete'])
})

test('pending runs can be filtered, sorted and searched', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, pair.publicKey)
  for (const name of ['Zulu', 'Älpha']) {
    const { id } = await create(org, { name })
    await org.post('/api/runCommand', { _id: id, systemIds: [system] })
  }
  const names = async (query: string) =>
    (await org.get(`/api/v2/queuedcommand/workflows?${query}`))
      .json()
      .results.map(({ name }: { name: string }) => name)
  assert.deepEqual(await names('sort=name'), ['Zulu', 'Älpha'])
  assert.deepEqual(await names('filter=name:eq:Zulu,launchType:eq:manual'), ['Zulu'])
  assert.deepEqual(await names(`search=${encodeURIComponent('äL')}`), ['Älpha'])
  assert.deepEqual(await names('filter=pendingCount:gt:1'), [])
  const bad = await org.get('/api/v2/queuedcommand/workflows?sort=colour')
  assert.deepEqual([bad.statusCode, bad.json().reason], [400, 'unknown_field'])
})

test('a run shows each system: queued, fetched, then finished with its exit code', async () => {
  const org = await app.newOrganization()
  const systems = []
  for (const hostname of ['a', 'b', 'c'])
    systems.push(await enrol(app.http, org, pair.publicKey, { hostname }))
  const [one, two] = systems.map((system) => signedCaller(app.http, system, pair.privateKey))
  const { id } = await create(org)
  const run = (await org.post('/api/runCommand', { _id: id, systemIds: systems })).json()
  const url = `/api/v2/commands/${id}/runs/${run.workflowInstanceId}`
  const states = async (query = '') => {
    const { totalCount, pendingCount, failedCount, results } = (await org.get(url + query)).json()
    return {
      counts: [totalCount, pendingCount, failedCount],
      results: results.map((each: { system: string; status: string; exitCode: number | null }) =>
        [each.system, each.status, each.exitCode].join(' '),
      ),
    }
  }
  const queued = await states()
  assert.deepEqual(queued.counts, [3, 3, 0])
  assert.deepEqual(queued.results.sort(), ['a queued ', 'b queued ', 'c queued '])

  const [order] = await fetchOrders(one!)
  await answer(one!, order!.id!, 'done', 3)
  await fetchOrders(two!)
  const { counts, results } = await states()
  assert.deepEqual(counts, [3, 2, 1])
  assert.equal(results[0], 'a finished 3')
  assert.deepEqual(results.slice(1).sort(), ['b fetched ', 'c queued '])
  assert.deepEqual(await states('?limit=1'), { counts, results: results.slice(0, 1) })
  assert.deepEqual(await states('?limit=1&skip=9'), { counts, results: [] })

  const role = (await org.post('/api/v2/roles', { name: newId(), scopes: ['users'] })).json()
  const stranger = await app.addAdministrator(org.organizationId, 'Read Only')
  await org.put(`/api/users/${stranger.id}`, { roleNames: [role.name] })
  assert.equal((await stranger.get(url)).statusCode, 403)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.equal((await reader.get(url)).statusCode, 200)
  assert.equal((await (await app.newOrganization()).get(url)).statusCode, 404)
  const another = await create(org)
  for (const wrong of [
    `${id}/runs/${newId()}`,
    `${id}/runs/x`,
    `${another.id}/runs/${order!.id}`,
  ]) {
    const res = await org.get(`/api/v2/commands/${wrong}`)
    assert.deepEqual([res.statusCode, res.json().reason], [404, 'run_not_found'], wrong)
  }
  assert.equal((await org.get(`${url}?limit=0`)).statusCode, 400)
})

test('orders are fetched oldest first', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, pair.publicKey)
  const call = signedCaller(app.http, system, pair.privateKey)
  const { id } = await create(org)
  const given: string[] = []
  for (let at = 0; at < 8; at++) {
    const run = await org.post('/api/runCommand', { _id: id, systemIds: [system] })
    given.push(run.json().queueIds[0])
  }
  await app.db.tx(org.organizationId, (tx) =>
    tx.execute(
      'update command_queue set request_time = now() + make_interval(secs => array_position($1::text[], id::text))',
      [given],
    ),
  )
  assert.deepEqual(
    (await fetchOrders(call)).map((order) => order.id),
    given,
  )
})

test('a trigger runs every command that has it, and passes its body on', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, pair.publicKey)
  for (const name of ['One', 'Two']) {
    const { id } = await create(org, { name, launchType: 'trigger', trigger: 'deploy' })
    await bind(org, id, 'system', system)
  }
  await create(org, { name: 'Three', launchType: 'manual', trigger: 'deploy' })
  const res = await org.post('/api/command/trigger/deploy', { version: '1.2' })
  assert.deepEqual(res.json(), { triggered: ['One', 'Two'] })
  const orders = await fetchOrders(signedCaller(app.http, system, pair.privateKey))
  assert.equal(orders.length, 2)
  const payload = Buffer.from(orders[0]!.payload!, 'base64').toString()
  assert.deepEqual(JSON.parse(payload), { version: '1.2' })
  assert.equal((await org.post('/api/command/trigger/deploy')).statusCode, 200)
  assert.equal((await org.post('/api/command/trigger/nothing', {})).statusCode, 404)
  const other = await app.newOrganization()
  assert.equal((await other.post('/api/command/trigger/deploy', {})).statusCode, 404)
})

test('a pending run can be canceled, and is deleted with its command', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, pair.publicKey)
  const call = signedCaller(app.http, system, pair.privateKey)
  const { id } = await create(org)
  const body = { _id: id, systemIds: [system] }
  const { workflowInstanceId } = (await org.post('/api/runCommand', body)).json()
  const url = `/api/v2/commandqueue/${workflowInstanceId}`
  const other = await app.newOrganization()
  assert.equal((await other.delete(url)).statusCode, 404)
  assert.equal((await org.delete(url)).statusCode, 204)
  assert.equal((await org.delete(url)).statusCode, 404)
  assert.equal((await fetchOrders(call)).length, 0)
  await org.post('/api/runCommand', body)
  await org.delete(`/api/commands/${id}`)
  assert.equal((await fetchOrders(call)).length, 0)
})

test('built-in commands are queued for Linux and Windows systems only', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, pair.publicKey)
  const mac = await enrol(app.http, org, pair.publicKey, { osFamily: 'darwin' })
  for (const name of ['restart', 'shutdown', 'lock', 'erase']) {
    const res = await org.post(`/api/systems/${system}/command/builtin/${name}`, {})
    assert.equal(res.statusCode, 201)
    assert.equal(res.body, '')
  }
  const refused = await org.post(`/api/systems/${mac}/command/builtin/lock`, {})
  assert.deepEqual([refused.statusCode, refused.json().reason], [400, 'built_in_unsupported'])
  assert.equal((await org.post(`/api/systems/${newId()}/command/builtin/lock`)).statusCode, 404)
  const orders = await fetchOrders(signedCaller(app.http, system, pair.privateKey))
  assert.equal(orders.length, 4)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  assert.equal((await reader.post(`/api/systems/${system}/command/builtin/lock`)).statusCode, 403)
})

test('a traversal includes command details on request', async () => {
  const org = await app.newOrganization()
  const system = await enrol(app.http, org, pair.publicKey)
  const { id } = await create(org, { name: 'Bound' })
  await bind(org, id, 'system', system)
  const [found] = (await org.get(`/api/v2/systems/${system}/commands?details=v1`)).json()
  assert.equal(found.id, id)
  assert.equal(found.name, 'Bound')
})

test('files of a command are listed', async () => {
  const org = await app.newOrganization()
  const file = { name: 'a', destination: '/tmp/a', objectStorageId: 'o1', sha256: 'f' }
  const { id } = await create(org, { filesS3: [file] })
  assert.deepEqual((await org.get(`/api/files/command/${id}`)).json(), {
    totalCount: 1,
    results: [{ _id: 'o1', name: 'a', destination: '/tmp/a' }],
  })
})
