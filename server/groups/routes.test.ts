import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addNode } from '../graph/index.ts'
import { newId } from '../platform/ids.ts'
import { purgeDeletedGroups } from './actions.ts'
import type { GroupContext } from './index.ts'

const app = await startApp()
type Organization = Awaited<ReturnType<typeof app.newOrganization>>

async function addGroup(org: Organization, body: object, path = 'usergroups') {
  const res = await org.post(`/api/v2/${path}`, body)
  assert.equal(res.statusCode, 201, res.body)
  return res.json() as { id: string; name: string; attributes: Record<string, unknown> | null }
}

async function node(org: Organization, type: 'user' | 'system' | 'application') {
  const id = newId()
  await app.db.tx(org.organizationId, (tx) => addNode(tx, org.organizationId, type, id))
  return id
}

const names = (res: { json(): { name: string }[] }) => res.json().map(({ name }) => name)

for (const [path, type, memberType, ids] of [
  ['usergroups', 'user_group', 'user', 'user_ids'],
  ['systemgroups', 'system_group', 'system', 'object_ids'],
] as const) {
  const url = `/api/v2/${path}`

  test(`${path}: create, read, list, replace and delete`, async () => {
    const org = await app.newOrganization()
    const made = await addGroup(org, { name: 'Staff' }, path)
    const ldap = type === 'user_group' ? { ldapGroups: [{ name: 'Staff' }] } : null
    const record = {
      id: made.id,
      name: 'Staff',
      type,
      description: '',
      email: '',
      attributes: ldap,
      membershipMethod: 'STATIC',
      memberQueryExemptions: [],
      memberQueryErrorFlags: [],
      memberSuggestionsNotify: false,
      organizationObjectId: org.organizationId,
      ...(type === 'user_group' && { suggestionCounts: { add: 0, remove: 0, total: 0 } }),
    }
    assert.deepEqual(made, record)
    assert.deepEqual((await org.get(`${url}/${made.id}`)).json(), record)

    const list = await org.get(url)
    assert.equal(list.headers['x-total-count'], '1')
    const { id, name, description, email, attributes } = record
    assert.deepEqual(list.json(), [{ id, name, type, description, email, attributes }])

    const put = await org.put(`${url}/${made.id}`, { name: 'People', description: 'All of us' })
    assert.equal(put.statusCode, 200)
    assert.deepEqual(put.json(), { ...record, name: 'People', description: 'All of us' })
    // PATCH acts like PUT: omitted members are reset.
    const patch = await org.patch(`${url}/${made.id}`, { name: 'People', email: 'all@example.com' })
    assert.deepEqual(patch.json(), { ...record, name: 'People', email: 'all@example.com' })

    const gone = await org.delete(`${url}/${made.id}`)
    assert.equal(gone.statusCode, 200)
    assert.equal(gone.json().id, made.id)
    assert.equal((await org.get(`${url}/${made.id}`)).statusCode, 404)
    assert.equal((await org.delete(`${url}/${made.id}`)).statusCode, 404)
    assert.equal((await org.put(`${url}/${made.id}`, { name: 'x' })).statusCode, 404)
    assert.deepEqual((await org.get(url)).json(), [])
    assert.deepEqual(await org.eventTypes(), [
      'group_create',
      'group_update',
      'group_update',
      'group_delete',
    ])
    const [, update] = await org.events()
    assert.deepEqual(update?.changes, [
      { field: 'name', from: 'Staff', to: 'People' },
      { field: 'description', from: '', to: 'All of us' },
    ])
  })

  test(`${path}: bad input is 400, names the field and changes nothing`, async () => {
    const org = await app.newOrganization()
    const cases: [object, RegExp][] = [
      [{}, /name/],
      [{ name: '' }, /name/],
      [{ name: 7 }, /name/],
      [{ name: 'x', attributes: [] }, /attributes/],
      [{ name: 'x', membershipMethod: 'SOMETIMES' }, /membershipMethod/],
      [{ name: 'x', memberQuery: { filters: [] } }, /memberQuery.queryType/],
      [{ name: 'x', memberQuery: { queryType: 'Guess', filters: [] } }, /memberQuery.queryType/],
      [{ name: 'x', memberQuery: { queryType: 'Filter', filters: [] } }, /memberQuery.filters/],
      [
        {
          name: 'x',
          memberQuery: {
            queryType: 'Filter',
            filters: [{ field: 'nothing', operator: 'eq', value: 1 }],
          },
        },
        /memberQuery.filters.*"nothing"/,
      ],
      [
        {
          name: 'x',
          memberQuery: {
            queryType: 'Filter',
            filters: [{ field: 'id', operator: 'near', value: 1 }],
          },
        },
        /memberQuery.filters\[0\].operator/,
      ],
      [
        { name: 'x', memberQueryExemptions: [{ type: 'application', id: newId() }] },
        /memberQueryExemptions\[0\].type/,
      ],
      [
        { name: 'x', memberQueryExemptions: [{ type: memberType, id: newId() }] },
        /memberQueryExemptions\[0\].id/,
      ],
    ]
    for (const [body, message] of cases) {
      const res = await org.post(url, body)
      assert.equal(res.statusCode, 400, JSON.stringify(body))
      assert.match(res.json().message, message)
    }
    assert.deepEqual((await org.get(url)).json(), [])
    assert.deepEqual(await org.eventTypes(), [])
  })

  test(`${path}: names are unique among existing groups of the same type`, async () => {
    const org = await app.newOrganization()
    const first = await addGroup(org, { name: 'Staff' }, path)
    const second = await addGroup(org, { name: 'Others' }, path)
    assert.equal((await org.post(url, { name: 'staff' })).statusCode, 409)
    assert.equal((await org.put(`${url}/${second.id}`, { name: 'STAFF' })).statusCode, 409)
    await org.delete(`${url}/${first.id}`)
    const third = await addGroup(org, { name: 'Staff' }, path)
    const taken = await org.post(`${url}/${first.id}/restore`)
    assert.equal(taken.statusCode, 409)
    assert.equal(taken.json().reason, 'group_name_taken')
    await org.put(`${url}/${third.id}`, { name: 'Third' })
    assert.equal((await org.post(`${url}/${first.id}/restore`)).statusCode, 200)
    assert.equal((await org.post(`${url}/${first.id}/restore`)).statusCode, 404)
  })

  test(`${path}: members are added once, removed once, and audited`, async () => {
    const org = await app.newOrganization()
    const group = await addGroup(org, { name: 'Staff' }, path)
    const id = await node(org, memberType)
    const members = `${url}/${group.id}/members`
    const add = { op: 'add', type: memberType, id }
    assert.equal((await org.post(members, add)).statusCode, 204)
    const again = await org.post(members, add)
    assert.equal(again.statusCode, 409)
    assert.equal(again.json().message, 'Already Exists')
    assert.deepEqual((await org.get(members)).json(), [
      { attributes: null, to: { attributes: null, id, type: memberType } },
    ])
    const remove = { op: 'remove', type: memberType, id }
    assert.equal((await org.post(members, remove)).statusCode, 204)
    assert.equal((await org.post(members, remove)).statusCode, 404)
    assert.equal((await org.post(members, { ...add, id: newId() })).statusCode, 404)
    assert.equal((await org.post(members, { ...add, type: 'application' })).statusCode, 400)
    const unknown = await org.post(`${url}/${newId()}/members`, add)
    assert.equal(unknown.statusCode, 400)
    assert.equal(unknown.json().message, `${type} not found`)
    assert.deepEqual(await org.eventTypes(), [
      'group_create',
      'association_change',
      'association_change',
    ])
    const [, told] = await org.events()
    const { connection } = told!.association as { connection: { from: { name: string } } }
    assert.equal(connection.from.name, 'staff')
  })

  test(`${path}: another organization sees nothing, and readers only read`, async () => {
    const [org, stranger] = [await app.newOrganization(), await app.newOrganization()]
    const group = await addGroup(org, { name: 'Staff' }, path)
    const id = await node(org, memberType)
    const one = `${url}/${group.id}`
    assert.deepEqual((await stranger.get(url)).json(), [])
    assert.equal((await stranger.get(one)).statusCode, 404)
    assert.equal((await stranger.put(one, { name: 'Mine' })).statusCode, 404)
    assert.equal((await stranger.delete(one)).statusCode, 404)
    assert.equal((await stranger.get(`${one}/members`)).statusCode, 404)
    assert.equal((await stranger.get(`${one}/suggestions`)).statusCode, 404)
    assert.equal((await stranger.post(`${one}/suggestions`, { [ids]: [] })).statusCode, 404)
    const add = { op: 'add', type: memberType, id }
    assert.equal((await stranger.post(`${one}/members`, add)).statusCode, 400)
    await org.delete(one)
    assert.equal((await stranger.post(`${one}/restore`)).statusCode, 404)

    const reader = await app.addAdministrator(org.organizationId, 'Read Only')
    assert.equal((await reader.get(url)).statusCode, 200)
    assert.equal((await reader.post(url, { name: 'x' })).statusCode, 403)
    assert.equal((await reader.put(one, { name: 'x' })).statusCode, 403)
    assert.equal((await reader.delete(one)).statusCode, 403)
    assert.equal((await reader.post(`${one}/members`, add)).statusCode, 403)
    assert.equal((await reader.post(`${one}/restore`)).statusCode, 403)
    const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
    assert.equal((await runner.get(url)).statusCode, 403)
  })

  test(`${path}: a restored group has its members and associations again`, async () => {
    const org = await app.newOrganization()
    const group = await addGroup(org, { name: 'Staff' }, path)
    const one = `${url}/${group.id}`
    const id = await node(org, memberType)
    const [bound, boundType] =
      type === 'user_group'
        ? [await node(org, 'application'), 'application']
        : [await node(org, 'user'), 'user']
    await org.post(`${one}/members`, { op: 'add', type: memberType, id })
    await org.post(`${one}/associations`, { op: 'add', type: boundType, id: bound })
    await org.delete(one)
    const memberof = `/api/v2/${memberType}s/${id}/memberof`
    assert.deepEqual((await org.get(memberof)).json(), [])
    const back = await org.post(`${one}/restore`)
    assert.equal(back.statusCode, 200)
    assert.equal(back.json().name, 'Staff')
    assert.equal((await org.get(memberof)).json().length, 1)
    const associations = await org.get(`${one}/associations?targets=${boundType}`)
    assert.equal(associations.json()[0].to.id, bound)
    assert.equal((await org.eventTypes()).at(-1), 'group_restore')
  })
}

test('attributes: the POSIX group is immutable once set; other keys are free-form', async () => {
  const org = await app.newOrganization()
  const sent = {
    sudo: { enabled: true, withoutPassword: true },
    posixGroups: [{ id: 5000, name: 'staff' }],
    radius: { reply: [{ name: 'Class', value: 'staff' }] },
    sambaEnabled: true,
    costCentre: 'A1',
  }
  const group = await addGroup(org, { name: 'Staff', attributes: sent })
  const kept = { ...sent, ldapGroups: [{ name: 'Staff' }] }
  assert.deepEqual(group.attributes, kept)
  const url = `/api/v2/usergroups/${group.id}`
  const put = (attributes: unknown) => org.put(url, { name: 'Renamed', attributes })

  const changed = await put({ posixGroups: [{ id: 5001, name: 'staff' }] })
  assert.equal(changed.statusCode, 400)
  assert.equal(changed.json().reason, 'posix_groups_fixed')
  assert.equal((await put({ posixGroups: [] })).statusCode, 400)
  assert.equal((await put({ posixGroups: sent.posixGroups })).statusCode, 200)
  // Omitted: it stays, like the LDAP name.
  assert.deepEqual((await put(null)).json().attributes, {
    ldapGroups: [{ name: 'Staff' }],
    posixGroups: sent.posixGroups,
  })
  const own = await put({ ldapGroups: [{ name: 'people' }] })
  assert.deepEqual(own.json().attributes.ldapGroups, [{ name: 'people' }])
  for (const attributes of [
    { sudo: { enabled: false, withoutPassword: true } },
    { sudo: { enabled: true, withoutPassword: 'no' } },
    { ldapGroups: [{}] },
    { posixGroups: [{ id: 'x', name: 'y' }] },
    { radius: { reply: [{ name: 'x' }] } },
    { sambaEnabled: 'yes' },
  ]) {
    const res = await put(attributes)
    assert.equal(res.statusCode, 400, JSON.stringify(attributes))
    assert.match(res.json().message, /attributes/)
  }
  // Members inherit the attributes of the group.
  const user = await node(org, 'user')
  await org.post(`${url}/members`, { op: 'add', type: 'user', id: user })
  const [found] = (await org.get(`/api/v2/users/${user}/memberof`)).json()
  assert.deepEqual(found.compiledAttributes.ldapGroups, [{ name: 'people' }])
})

test('lists filter, sort and project; GET /groups lists both types', async () => {
  const org = await app.newOrganization()
  await addGroup(org, { name: 'beta' })
  const sudo = { sudo: { enabled: true, withoutPassword: false } }
  await addGroup(org, { name: 'Alpha', attributes: sudo, description: 'first' })
  await addGroup(org, { name: 'gamma' }, 'systemgroups')
  assert.deepEqual(names(await org.get('/api/v2/usergroups?sort=-name')), ['beta', 'Alpha'])
  const cases: [string, string[]][] = [
    ['name:eq:beta', ['beta']],
    ['name:search:ALPH', ['Alpha']],
    ['name:eq:*eta', ['beta']],
    ['type:eq:user_group,disabled:eq:false', ['Alpha', 'beta']],
    ['membershipMethod:eq:DYNAMIC_AUTOMATED', []],
    ['attributes.sudo.enabled:eq:true', ['Alpha']],
    ['attributes.sudo.withoutPassword:eq:true', []],
    ['suggestionCounts.total:gt:0', []],
    ['memberQueryErrorFlags:eq:CYCLE', []],
  ]
  for (const [filter, expected] of cases) {
    const res = await org.get(`/api/v2/usergroups?filter=${filter}`)
    assert.deepEqual(names(res), expected, filter)
  }
  const fields = await org.get('/api/v2/usergroups?fields=name&limit=1')
  assert.deepEqual(Object.keys(fields.json()[0]).sort(), ['id', 'name'])
  assert.equal(fields.headers['x-total-count'], '2')

  const all = await org.get('/api/v2/groups')
  assert.deepEqual(names(all), ['Alpha', 'beta', 'gamma'])
  assert.equal(all.headers['x-unfiltered-total-count'], undefined)
  const counted = await org.get('/api/v2/groups?filter=type:eq:system_group', {
    'x-unfiltered-total-count': 'true',
  })
  assert.deepEqual(names(counted), ['gamma'])
  assert.equal(counted.headers['x-total-count'], '1')
  assert.equal(counted.headers['x-unfiltered-total-count'], '3')
  assert.equal((await org.get('/api/v2/groups?filter=membershipMethod:eq:x')).statusCode, 400)

  const directories = await org.get('/api/v2/directories')
  assert.deepEqual(directories.json(), [])
  assert.equal(directories.headers['x-total-count'], '0')
})

test('group names are case-insensitive in every script', async () => {
  const org = await app.newOrganization()
  await addGroup(org, { name: 'Müller' })
  const res = await org.post('/api/v2/usergroups', { name: 'MÜLLER' })
  assert.equal(res.statusCode, 409)
  assert.equal(res.json().reason, 'group_name_taken')
  const list = await org.get(`/api/v2/usergroups?filter=name:search:${encodeURIComponent('MÜLL')}`)
  assert.equal(list.headers['x-total-count'], '1')
})

test('lists can filter on the error flags of rules', async () => {
  const org = await app.newOrganization()
  await addGroup(org, { name: 'Plain' })
  const count = async (filter: string) =>
    (await org.get(`/api/v2/usergroups?filter=memberQueryErrorFlags:${filter}`)).headers[
      'x-total-count'
    ]
  assert.equal(await count('CO:CYCLE'), '0')
  assert.equal(await count('NCO:CYCLE'), '1')
  assert.equal(await count('EQ:CYCLE'), '0')
  assert.equal(await count('NE:CYCLE'), '1')
  assert.equal(await count('IN:CYCLE|INVALID_GROUP_REFERENCE'), '0')
})

test('deleted groups are purged after thirty days', async () => {
  const org = await app.newOrganization()
  const { id } = await addGroup(org, { name: 'Old' })
  await org.delete(`/api/v2/usergroups/${id}`)
  const context = { db: app.db } as GroupContext
  const days = (count: number) => new Date(Date.now() + count * 86_400_000)
  await purgeDeletedGroups(context, days(29))
  assert.equal((await org.post(`/api/v2/usergroups/${id}/restore`)).statusCode, 200)
  await org.delete(`/api/v2/usergroups/${id}`)
  await purgeDeletedGroups(context, days(31))
  assert.equal((await org.post(`/api/v2/usergroups/${id}/restore`)).statusCode, 404)
})
