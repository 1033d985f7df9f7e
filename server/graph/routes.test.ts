import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'
import { insertEdge } from './edge-store.ts'
import { addNode, deleteNode, type NodeRef, type NodeType, restoreNode } from './index.ts'

const app = await startApp()

type Organization = Awaited<ReturnType<typeof app.newOrganization>>

/** A node without a record: the graph asks for no more. */
async function node(org: Organization, type: NodeType, attributes: object | null = null) {
  const id = newId()
  await app.db.tx(org.organizationId, (tx) => addNode(tx, org.organizationId, type, id, attributes))
  return id
}

const PATHS: Partial<Record<NodeType, string>> = {
  user: 'users',
  user_group: 'usergroups',
  system: 'systems',
  system_group: 'systemgroups',
  application: 'applications',
  command: 'commands',
}

async function bind(
  org: Organization,
  [type, id]: [NodeType, string],
  [targetType, target]: [NodeType, string],
  attributes?: object,
) {
  const body = { op: 'add', type: targetType, id: target, ...(attributes && { attributes }) }
  const res = await org.post(`/api/v2/${PATHS[type]}/${id}/associations`, body)
  assert.equal(res.statusCode, 204, res.body)
}

const ids = (res: { json(): { id: string }[] }) => res.json().map(({ id }) => id)

/** Puts a member into a group that has no record. */
async function member(org: Organization, group: [NodeType, string], who: [NodeType, string]) {
  const [a, b] = [group, who].map(([type, id]): NodeRef => ({ type, id }))
  await app.db.tx(org.organizationId, (tx) =>
    insertEdge(tx, org.organizationId, a!, b!, null, null),
  )
}

test('an association is added, recorded, listed from both sides and removed', async () => {
  const org = await app.newOrganization()
  const [user, application] = [await node(org, 'user'), await node(org, 'application')]
  await bind(org, ['user', user], ['application', application])

  const list = await org.get(`/api/v2/users/${user}/associations?targets=application`)
  assert.equal(list.statusCode, 200)
  assert.equal(list.headers['x-total-count'], '1')
  assert.deepEqual(list.json(), [
    { attributes: null, to: { attributes: null, id: application, type: 'application' } },
  ])
  const back = await org.get(`/api/v2/applications/${application}/associations?targets=user`)
  assert.deepEqual(
    back.json().map((c: { to: { id: string } }) => c.to.id),
    [user],
  )

  // The same edge from the other side.
  const again = await org.post(`/api/v2/applications/${application}/associations`, {
    op: 'add',
    type: 'user',
    id: user,
  })
  assert.deepEqual([again.statusCode, again.json().reason], [409, 'edge_exists'])
  assert.equal(again.json().message, 'Already Exists')
  const remove = { op: 'remove', type: 'user', id: user }
  const url = `/api/v2/applications/${application}/associations`
  assert.equal((await org.post(url, remove)).statusCode, 204)
  assert.equal((await org.post(url, remove)).statusCode, 404)
  const empty = await org.get(`/api/v2/users/${user}/associations?targets=application`)
  assert.deepEqual(empty.json(), [])
  assert.equal(empty.headers['x-total-count'], '0')

  const events = await org.events()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['association_change', 'association_change'],
  )
  const { association, resource } = events[0] as unknown as {
    association: { op: string; connection: { from: object; to: object } }
    resource: object
  }
  assert.deepEqual(resource, { type: 'user', id: user })
  assert.equal(association.op, 'add')
  assert.deepEqual(association.connection, {
    from: { type: 'user', object_id: user, name: '' },
    to: { type: 'application', object_id: application, name: '' },
  })
})

test('of concurrent requests that add the same edge, one succeeds', async () => {
  const org = await app.newOrganization()
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      n % 2 === 0
        ? org.post(`/api/v2/users/${user}/associations`, { op: 'add', type: 'system', id: system })
        : org.post(`/api/v2/systems/${system}/associations`, { op: 'add', type: 'user', id: user }),
    ),
  )
  const statuses = answers.map(({ statusCode }) => statusCode).sort()
  assert.deepEqual(statuses, [204, 409, 409, 409, 409, 409])
  assert.deepEqual(await org.eventTypes(), ['association_change'])
})

test('attributes of an edge can be changed, and sudo rights have their own events', async () => {
  const org = await app.newOrganization()
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const url = `/api/v2/systems/${system}/associations`
  const sudo = { sudo: { enabled: true, withoutPassword: false } }
  const update = { op: 'update', type: 'user', id: user, attributes: sudo }
  assert.equal((await org.post(url, update)).statusCode, 404)
  await bind(org, ['user', user], ['system', system])
  assert.equal((await org.post(url, update)).statusCode, 204)
  const [connection] = (await org.get(`${url}?targets=user`)).json()
  assert.deepEqual(connection.attributes, sudo)
  const [reached] = (await org.get(`/api/v2/users/${user}/systems`)).json()
  assert.deepEqual(reached.compiledAttributes, sudo)
  assert.equal((await org.post(url, { ...update, op: 'remove' })).statusCode, 204)
  assert.deepEqual(await org.eventTypes(), [
    'association_change',
    'association_change',
    'user_admin_granted',
    'association_change',
    'user_admin_revoked',
  ])
  const [, changed] = await org.events()
  assert.deepEqual(changed?.changes, [{ field: 'attributes', from: null, to: sudo }])
})

test('bad input is rejected with a reason, and changes nothing', async () => {
  const org = await app.newOrganization()
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const post = (body: object, path = `users/${user}`) =>
    org.post(`/api/v2/${path}/associations`, body)
  const cases: [object, RegExp, string][] = [
    [{ type: 'system', id: system }, /op/, 'validation'],
    [{ op: 'grant', type: 'system', id: system }, /op/, 'validation'],
    [{ op: 'add', type: 'command', id: system }, /type/, 'validation'],
    [{ op: 'add', type: 'system' }, /id/, 'validation'],
    [{ op: 'add', type: 'system', id: system, attributes: 'x' }, /attributes/, 'validation'],
    [{ op: 'add', type: 'system', id: system, attributes: { sudo: true } }, /sudo/, 'bad_sudo'],
    [
      {
        op: 'add',
        type: 'system',
        id: system,
        attributes: { sudo: { enabled: true, withoutPassword: 'no' } },
      },
      /withoutPassword/,
      'bad_sudo',
    ],
    [
      {
        op: 'add',
        type: 'system',
        id: system,
        attributes: { sudo: { enabled: false, withoutPassword: true } },
      },
      /withoutPassword/,
      'bad_sudo',
    ],
  ]
  for (const [body, message, reason] of cases) {
    const res = await post(body)
    assert.equal(res.statusCode, 400, JSON.stringify(body))
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  const unknown = await post({ op: 'add', type: 'system', id: newId() })
  assert.deepEqual([unknown.statusCode, unknown.json().reason], [404, 'node_not_found'])
  assert.equal(unknown.json().message, 'system not found')
  const nobody = await post({ op: 'add', type: 'system', id: system }, `users/${newId()}`)
  assert.equal(nobody.statusCode, 404)
  assert.equal(nobody.json().message, 'user not found')

  for (const query of ['', '?targets=', '?targets=command', '?targets=system,nothing']) {
    const res = await org.get(`/api/v2/users/${user}/associations${query}`)
    assert.equal(res.statusCode, 400, query)
    assert.match(res.json().message, /targets/)
  }
  assert.equal((await org.get(`/api/v2/users/${newId()}/systems`)).statusCode, 404)
  assert.equal((await org.get(`/api/v2/policies/${newId()}/systems`)).statusCode, 404)
  assert.equal((await org.get(`/api/v2/users/nobody/systems`)).statusCode, 404)
  const memberof = await org.get(`/api/v2/users/${newId()}/memberof`)
  assert.equal(memberof.statusCode, 200)
  assert.deepEqual(memberof.json(), [])
  assert.deepEqual(await org.eventTypes(), [])
})

test('a traversal shows every path once, in the recorded shape, and compiles attributes', async () => {
  const org = await app.newOrganization()
  const attributes = { ldapGroups: [{ name: 'Staff' }], sudo: null, team: 'red' }
  const group = await node(org, 'user_group', attributes)
  const [user, application] = [await node(org, 'user'), await node(org, 'application')]
  const other = await node(org, 'user_group', { ldapGroups: [{ name: 'Other' }] })
  for (const one of [group, other]) {
    await member(org, ['user_group', one], ['user', user])
    await bind(org, ['user_group', one], ['application', application])
  }
  const res = await org.get(`/api/v2/applications/${application}/users`)
  const through = (id: string, own: object) => [
    { attributes: null, to: { attributes: own, id, type: 'user_group' } },
    { attributes: null, to: { attributes: null, id: user, type: 'user' } },
  ]
  const [found, ...more] = res.json()
  assert.deepEqual(more, [])
  assert.deepEqual(Object.keys(found), ['id', 'type', 'compiledAttributes', 'paths'])
  assert.deepEqual([found.id, found.type], [user, 'user'])
  const ways = new Map(found.paths.map((path: { to: { id: string } }[]) => [path[0]!.to.id, path]))
  assert.equal(found.paths.length, 2)
  assert.deepEqual(ways.get(group), through(group, attributes))
  assert.deepEqual(ways.get(other), through(other, { ldapGroups: [{ name: 'Other' }] }))
  assert.deepEqual(
    new Set(found.compiledAttributes.ldapGroups.map((g: { name: string }) => g.name)),
    new Set(['Staff', 'Other']),
  )
  assert.equal(found.compiledAttributes.team, 'red')

  const memberof = (await org.get(`/api/v2/users/${user}/memberof?sort=-object_id`)).json()
  assert.deepEqual(
    memberof.map(({ paths }: { paths: unknown[][] }) => paths.map((path) => path.length)),
    [[1], [1]],
  )
  const one = await org.get(`/api/v2/users/${user}/memberof?filter=object_id:eq:${group}`)
  assert.deepEqual(ids(one), [group])
  assert.equal(one.headers['x-total-count'], '1')
  const none = await org.get(`/api/v2/users/${user}/memberof?filter=type:eq:system_group`)
  assert.deepEqual(ids(none), [])
  assert.equal((await org.get(`/api/v2/users/${user}/memberof?filter=name:eq:x`)).statusCode, 400)
})

test('limit and skip page through a traversal; the total is there past the end as well', async () => {
  const org = await app.newOrganization()
  const group = await node(org, 'user_group')
  const users: string[] = []
  for (let n = 0; n < 5; n++) {
    users.push(await node(org, 'user'))
    await member(org, ['user_group', group], ['user', users.at(-1)!])
  }
  users.sort()
  const page = await org.get(`/api/v2/usergroups/${group}/membership?limit=2&skip=1`)
  assert.deepEqual(ids(page), users.slice(1, 3))
  assert.equal(page.headers['x-total-count'], '5')
  const past = await org.get(`/api/v2/usergroups/${group}/members?skip=9`)
  assert.deepEqual(past.json(), [])
  assert.equal(past.headers['x-total-count'], '5')
  const members = await org.get(`/api/v2/usergroups/${group}/members?limit=1`)
  assert.deepEqual(members.json(), [
    { attributes: null, to: { attributes: null, id: users[0], type: 'user' } },
  ])
})

test('a user who is reachable through several groups counts once', async () => {
  const org = await app.newOrganization()
  const application = await node(org, 'application')
  const [large, small] = [await node(org, 'user_group'), await node(org, 'user_group')]
  const users = await Promise.all(Array.from({ length: 24 }, () => node(org, 'user')))
  for (const user of users.slice(0, 20)) await member(org, ['user_group', large], ['user', user])
  for (const user of users.slice(18, 22)) await member(org, ['user_group', small], ['user', user])
  for (const group of [large, small])
    await bind(org, ['user_group', group], ['application', application])
  await bind(org, ['user', users[0]!], ['application', application])
  const url = `/api/v2/applications/${application}/users`
  const first = await org.get(`${url}?limit=5&skip=3`)
  const reachable = users.slice(0, 22).sort()
  assert.deepEqual(ids(first), reachable.slice(3, 8))
  assert.equal(first.headers['x-total-count'], '22')
  const sorted = await org.get(`${url}?limit=100&sort=-object_id`)
  assert.equal(sorted.headers['x-total-count'], '22')
  for (const user of users.slice(22)) await bind(org, ['user', user], ['application', application])
  assert.equal((await org.get(url)).headers['x-total-count'], '24')
})

test('systems reach users through both kinds of group, and commands with details', async () => {
  const org = await app.newOrganization()
  const [user, userGroup] = [await node(org, 'user'), await node(org, 'user_group')]
  const [system, systemGroup] = [await node(org, 'system'), await node(org, 'system_group')]
  const command = await node(org, 'command')
  await member(org, ['user_group', userGroup], ['user', user])
  await member(org, ['system_group', systemGroup], ['system', system])
  await bind(org, ['system_group', systemGroup], ['user_group', userGroup])
  await bind(org, ['command', command], ['system_group', systemGroup])
  const [far] = (await org.get(`/api/v2/systems/${system}/users`)).json()
  assert.deepEqual(
    far.paths.map((path: { to: { type: string } }[]) => path.map(({ to }) => to.type)),
    [['system_group', 'user_group', 'user']],
  )
  assert.deepEqual(ids(await org.get(`/api/v2/users/${user}/systems`)), [system])
  assert.deepEqual(ids(await org.get(`/api/v2/users/${user}/systemgroups`)), [systemGroup])
  assert.deepEqual(ids(await org.get(`/api/v2/systems/${system}/usergroups`)), [userGroup])
  assert.deepEqual(ids(await org.get(`/api/v2/systems/${system}/commands?details=v1`)), [command])
  assert.deepEqual(ids(await org.get(`/api/v2/commands/${command}/systems`)), [system])
  assert.deepEqual(ids(await org.get(`/api/v2/users/${user}/directories`)), [])
  assert.deepEqual(ids(await org.get(`/api/v2/users/${user}/policies`)), [])
})

test('another organization sees and changes nothing', async () => {
  const [org, stranger] = [await app.newOrganization(), await app.newOrganization()]
  const [user, system] = [await node(org, 'user'), await node(org, 'system')]
  const theirs = await node(stranger, 'user')
  await bind(org, ['user', user], ['system', system])
  for (const path of ['systems', 'associations?targets=system'])
    assert.equal((await stranger.get(`/api/v2/users/${user}/${path}`)).statusCode, 404)
  const add = { op: 'add', type: 'system', id: system }
  assert.equal((await stranger.post(`/api/v2/users/${theirs}/associations`, add)).statusCode, 404)
  const remove = { op: 'remove', type: 'system', id: system }
  assert.equal((await stranger.post(`/api/v2/users/${user}/associations`, remove)).statusCode, 404)
  assert.equal(
    (await stranger.get(`/api/v2/access/explain?user=${user}&system=${system}`)).statusCode,
    404,
  )
  assert.deepEqual(ids(await org.get(`/api/v2/users/${user}/systems`)), [system])
  assert.deepEqual(await stranger.eventTypes(), [])
})

test('scopes: read-only callers can list, but not associate', async () => {
  const org = await app.newOrganization()
  const [user, application] = [await node(org, 'user'), await node(org, 'application')]
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  const url = `/api/v2/applications/${application}`
  assert.equal((await reader.get(`${url}/associations?targets=user`)).statusCode, 200)
  assert.equal((await reader.get(`${url}/users`)).statusCode, 200)
  assert.equal((await runner.get(`${url}/users`)).statusCode, 403)
  const body = { op: 'add', type: 'user', id: user }
  assert.equal((await reader.post(`${url}/associations`, body)).statusCode, 403)
  assert.equal((await app.anonymous.post(`${url}/associations`, body)).statusCode, 401)
  assert.equal(
    (await runner.get(`/api/v2/access/explain?user=${user}&application=${application}`)).statusCode,
    403,
  )
})

test('a deleted node takes its edges along and brings them back, but not those removed since', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const user = await node(org, 'user')
  const [first, second] = [await node(org, 'application'), await node(org, 'application')]
  for (const application of [first, second])
    await bind(org, ['user', user], ['application', application])
  const event = '0190a000-0000-7000-8000-000000000000'
  const gone = () =>
    app.db.tx(organizationId, (tx) => deleteNode(tx, organizationId, 'user', user, event))
  const back = () =>
    app.db.tx(organizationId, (tx) => restoreNode(tx, organizationId, 'user', user, event))
  const applications = async () => ids(await org.get(`/api/v2/users/${user}/applications`)).sort()
  await gone()
  assert.equal((await org.get(`/api/v2/users/${user}/applications`)).statusCode, 404)
  const add = { op: 'add', type: 'user', id: user }
  const refused = await org.post(`/api/v2/applications/${first}/associations`, add)
  assert.equal(refused.statusCode, 404)
  await back()
  assert.deepEqual(await applications(), [first, second].sort())
  const remove = { op: 'remove', type: 'user', id: user }
  await org.post(`/api/v2/applications/${first}/associations`, remove)
  await gone()
  await back()
  assert.deepEqual(await applications(), [second])
})

test('access is explained with the event of each edge, now and at a past instant', async () => {
  const org = await app.newOrganization()
  const [user, group] = [await node(org, 'user'), await node(org, 'user_group')]
  const application = await node(org, 'application')
  await member(org, ['user_group', group], ['user', user])
  const explain = async (at?: string) => {
    const when = at === undefined ? '' : `&at=${encodeURIComponent(at)}`
    return org.get(`/api/v2/access/explain?user=${user}&application=${application}${when}`)
  }
  const start = (await explain()).json()
  assert.deepEqual([start.allowed, start.paths], [false, []])

  await bind(org, ['application', application], ['user_group', group])
  const bound = (await explain()).json()
  assert.equal(bound.allowed, true)
  assert.equal(bound.paths.length, 1)
  const [membership, binding] = bound.paths[0]
  assert.deepEqual([membership.from.id, membership.to.id], [user, group])
  assert.deepEqual([binding.from.id, binding.to.id], [group, application])
  assert.equal(binding.grantedBy.event.event_type, 'association_change')
  assert.equal(binding.grantedBy.event.initiated_by.email, org.email)
  assert.equal(membership.grantedBy, null)

  const remove = { op: 'remove', type: 'user_group', id: group }
  await org.post(`/api/v2/applications/${application}/associations`, remove)
  assert.equal((await explain()).json().allowed, false)
  const then = (await explain(binding.since)).json()
  assert.equal(then.allowed, true)
  assert.equal(then.paths[0][1].grantedBy.id, binding.grantedBy.id)
  assert.ok(then.paths[0][1].until >= binding.since)
  assert.equal((await explain(start.at)).json().at, start.at)

  const bad: [string, RegExp, string][] = [
    [`user=${user}`, /application, system/, 'bad_target'],
    [`user=${user}&application=${application}&system=${user}`, /application, system/, 'bad_target'],
    [`application=${application}`, /user/, 'validation'],
    [`user=${user}&application=${application}&at=yesterday`, /at/, 'bad_at'],
    [`user=${user}&application=${application}&at=2999-01-01T00:00:00Z`, /at/, 'at_in_future'],
  ]
  for (const [query, message, reason] of bad) {
    const res = await org.get(`/api/v2/access/explain?${query}`)
    assert.equal(res.statusCode, 400, query)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, reason)
  }
  const unknown = await org.get(`/api/v2/access/explain?user=${newId()}&application=${application}`)
  assert.equal(unknown.statusCode, 404)
})
