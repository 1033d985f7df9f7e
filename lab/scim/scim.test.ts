import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { startLab } from '../../test/scim-lab.ts'

const lab = await startLab()
const { call, patch, userBody, groupBody, addUser, addGroup, store } = lab
beforeEach(() => store.reset())

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

test('a user is created, read, replaced and deleted', async () => {
  const created = await call('POST', '/Users', {
    ...userBody('ada@example.com'),
    externalId: 'e-1',
    password: 'secret',
    active: true,
    name: { givenName: 'Ada', familyName: null },
    emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
    groups: [{ value: 'ignored' }],
    [ENTERPRISE]: { department: 'Engines', manager: { value: 'm-1' } },
  })
  assert.equal(created.status, 201)
  assert.match(created.type, /^application\/scim\+json/)
  const { id, meta } = created.json
  assert.equal(created.headers.get('location'), `${lab.url}/Users/${id}`)
  assert.equal(meta.location, `${lab.url}/Users/${id}`)
  assert.deepEqual(created.json.schemas, ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE])
  assert.deepEqual(created.json.name, { givenName: 'Ada' })
  assert.equal('password' in created.json || 'groups' in created.json, false)
  assert.deepEqual((await call('GET', `/Users/${id}`)).json, created.json)

  const replaced = await call(
    'PUT',
    `/Users/${id}`,
    userBody('ada', { id: 'other', active: false }),
  )
  assert.equal(replaced.status, 200)
  assert.equal(replaced.json.id, id)
  assert.equal(replaced.json.active, false)
  assert.equal('emails' in replaced.json, false)
  assert.equal(replaced.json.meta.created, meta.created)

  assert.equal((await call('DELETE', `/Users/${id}`)).status, 204)
  assert.equal((await call('GET', `/Users/${id}`)).status, 404)
  assert.equal((await call('DELETE', `/Users/${id}`)).status, 404)
  assert.deepEqual(
    store.journal.map(({ method, status }) => `${method} ${status}`),
    ['POST 201', 'GET 200', 'PUT 200', 'DELETE 204', 'GET 404', 'DELETE 404'],
  )
})

test('a user name is unique regardless of case, and free again after a rename', async () => {
  const id = addUser('Ada')
  const second = addUser('Grace')
  const taken = await call('POST', '/Users', userBody('aDA'))
  assert.equal(taken.status, 409)
  assert.deepEqual(taken.json, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '409',
    scimType: 'uniqueness',
    detail: 'userName aDA is taken',
  })
  const rename = { op: 'replace', path: 'userName' }
  assert.equal((await patch(`/Users/${second}`, { ...rename, value: 'ADA' })).status, 409)
  assert.equal((await patch(`/Users/${id}`, { ...rename, value: 'ADA' })).status, 200)
  assert.equal((await patch(`/Users/${id}`, { ...rename, value: 'Lovelace' })).status, 200)
  assert.equal((await call('POST', '/Users', userBody('ada'))).status, 201)
})

test('filters find by any attribute, and lists have pages', async () => {
  for (let at = 1; at <= 25; at++)
    addUser(`User${at}`, { externalId: `E${at}`, title: at % 2 === 0 ? 'Even' : 'Odd' })
  const find = async (filter: string) => {
    const { status, json } = await call('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    assert.equal(status, 200, filter)
    return json
  }
  assert.equal((await find('USERNAME eq "user7"')).Resources[0].userName, 'User7')
  assert.equal((await find('externalId eq "E7"')).totalResults, 1)
  assert.equal((await find('externalId eq "e7"')).totalResults, 0)
  assert.equal((await find('title eq "even" and userName sw "user1"')).totalResults, 5)
  assert.equal((await find(`id eq "${[...store.users.keys()][3]}"`)).totalResults, 1)

  const list = async (query: string) => (await call('GET', `/Users?${query}`)).json
  const page = await list('startIndex=21&count=10')
  assert.deepEqual(
    [page.totalResults, page.startIndex, page.itemsPerPage, page.Resources[0].userName],
    [25, 21, 5, 'User21'],
  )
  assert.deepEqual((await list('count=0')).Resources, [])
  assert.equal((await list('startIndex=0&count=3')).Resources[0].userName, 'User1')
  assert.deepEqual((await list('startIndex=26')).Resources, [])
  const [first] = (await list('count=1&attributes=userName,name.givenName')).Resources
  assert.deepEqual(Object.keys(first).sort(), ['id', 'schemas', 'userName'])
  assert.equal((await list('count=1&count=2')).Resources.length, 2)
  const [other] = (await list('count=1&excludedAttributes=title')).Resources
  assert.equal('title' in other || !('externalId' in other), false)
})

test('members are users or groups that exist, and deletion removes them', async () => {
  const [ada, grace] = [addUser('ada'), addUser('grace')]
  const created = await call('POST', '/Groups', groupBody('Engineers', ada, ada, grace))
  assert.equal(created.status, 201)
  const { id } = created.json
  assert.deepEqual(created.json.members, [{ value: ada }, { value: grace }])
  const outer = addGroup('Everybody', id)
  assert.deepEqual((await call('GET', `/Users/${ada}`)).json.groups, [
    { value: id, display: 'Engineers', type: 'direct' },
  ])
  const found = await call('GET', `/Users?filter=groups.value+eq+"${id}"`)
  assert.equal(found.json.totalResults, 2)
  const unknown = await patch(`/Groups/${id}`, {
    op: 'add',
    path: 'members',
    value: [{ value: 'x' }],
  })
  assert.deepEqual([unknown.status, unknown.json.scimType], [400, 'invalidValue'])

  await call('DELETE', `/Users/${ada}`)
  assert.deepEqual((await call('GET', `/Groups/${id}`)).json.members, [{ value: grace }])
  await call('DELETE', `/Groups/${id}`)
  assert.equal('members' in (await call('GET', `/Groups/${outer}`)).json, false)
  assert.equal('groups' in (await call('GET', `/Users/${grace}`)).json, false)
})

test('a PATCH that fails has no effect', async () => {
  const id = addUser('ada', { title: 'Countess' })
  const answer = await patch(
    `/Users/${id}`,
    { op: 'replace', path: 'title', value: 'Lady' },
    { op: 'replace', path: 'emails[type eq "work"].value', value: 'x@example.com' },
  )
  assert.deepEqual([answer.status, answer.json.scimType], [400, 'noTarget'])
  assert.equal(store.users.get(id)?.title, 'Countess')
})

test('versions guard against lost updates', async () => {
  const id = addUser('ada')
  const path = `/Users/${id}`
  const etag = String((await call('GET', path)).headers.get('etag'))
  assert.equal((await call('GET', path, undefined, { 'if-none-match': etag })).status, 304)
  const put = (version: string) => call('PUT', path, userBody('ada'), { 'if-match': version })
  assert.equal((await put(etag)).status, 200)
  assert.equal((await put(etag)).status, 412)
  assert.equal((await put('*')).status, 200)
  assert.equal((await call('DELETE', path, undefined, { 'if-match': etag })).status, 412)
})

test('the provider describes itself', async () => {
  const { json } = await call('GET', '/ServiceProviderConfig')
  assert.equal(json.patch.supported, true)
  assert.equal(json.filter.maxResults, 200)
  const types = (await call('GET', '/ResourceTypes')).json.Resources
  assert.deepEqual(
    types.map(({ endpoint }: { endpoint: string }) => endpoint),
    ['/Users', '/Groups'],
  )
  const schemas = (await call('GET', '/Schemas')).json.Resources
  assert.deepEqual(
    schemas.map(({ name }: { name: string }) => name),
    ['User', 'Group', 'EnterpriseUser'],
  )
  for (const document of [...types, ...schemas])
    assert.deepEqual((await call('GET', document.meta.location)).json, document)
})

const BIG = 'x'.repeat(1 << 20)
const refused: [
  name: string,
  call: () => ReturnType<typeof call>,
  status: number,
  type?: string,
][] = [
  ['no token', () => call('GET', '/Users', undefined, { authorization: '' }), 401],
  ['a wrong token', () => call('GET', '/Users', undefined, { authorization: 'Bearer x' }), 401],
  ['an unknown path', () => call('GET', '/Nothing'), 404],
  ['no JSON', () => call('POST', '/Users', '{'), 400, 'invalidSyntax'],
  ['no object', () => call('POST', '/Users', '[]'), 400, 'invalidSyntax'],
  ['no schemas', () => call('POST', '/Users', { userName: 'a' }), 400, 'invalidSyntax'],
  ['no user name', () => call('POST', '/Users', userBody('')), 400, 'invalidValue'],
  [
    'a boolean as text',
    () => call('POST', '/Users', userBody('a', { active: 'true' })),
    400,
    'invalidValue',
  ],
  [
    'one email without an array',
    () => call('POST', '/Users', userBody('a', { emails: { value: 'x' } })),
    400,
    'invalidValue',
  ],
  [
    'two primary emails',
    () =>
      call(
        'POST',
        '/Users',
        userBody('a', {
          emails: [
            { value: 'x', primary: true },
            { value: 'y', primary: true },
          ],
        }),
      ),
    400,
    'invalidValue',
  ],
  [
    'an unknown attribute',
    () => call('POST', '/Users', userBody('a', { shoeSize: 42 })),
    400,
    'invalidSyntax',
  ],
  [
    'another content type',
    () => call('POST', '/Users', 'a=b', { 'content-type': 'text/plain' }),
    415,
  ],
  ['a body over 1 MiB', () => call('POST', '/Users', userBody(BIG)), 413],
  ['a bad filter', () => call('GET', '/Users?filter=userName+is+x'), 400, 'invalidFilter'],
  ['a bad page', () => call('GET', '/Users?count=many'), 400, 'invalidValue'],
  ['PUT of an absent user', () => call('PUT', '/Users/absent', userBody('a')), 404],
  ['PATCH of an absent user', () => patch('/Users/absent', { op: 'add', value: {} }), 404],
]
for (const [name, send, status, type] of refused)
  test(`${name} is refused with a SCIM error`, async () => {
    const answer = await send()
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.type, /^application\/scim\+json/)
    assert.deepEqual(answer.json.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
    assert.equal(answer.json.status, String(status))
    assert.equal(answer.json.scimType, type)
    assert.equal(store.users.size, 0)
  })

test('objects change behind the back of the client', async () => {
  const [id, gone] = [addUser('ada'), addUser('grace')]
  store.editByHand('Users', id, { userName: 'countess' })
  store.removeByHand('Users', gone)
  assert.equal((await call('GET', `/Users/${id}`)).json.userName, 'countess')
  assert.equal((await call('GET', '/Users?filter=userName+eq+"ada"')).json.totalResults, 0)
  assert.equal((await call('GET', `/Users/${gone}`)).status, 404)
})

test('the page shows users, groups and requests, and changes them by hand', async () => {
  const id = addUser('ada<script>', { name: { givenName: 'Ada', familyName: 'Lovelace' } })
  addGroup('Engineers', id)
  await call('GET', '/Users')
  const show = async (path = '') => {
    const answer = await fetch(`${lab.page}${path}`)
    assert.equal(answer.status, 200)
    assert.match(String(answer.headers.get('content-security-policy')), /default-src 'none'/)
    return answer.text()
  }
  const body = await show()
  assert.match(body, /<meta http-equiv="refresh" content="2">/)
  assert.equal((await fetch(`${lab.page}page.css`)).status, 200)
  assert.match(body, /ada&lt;script&gt;<\/td><td>Ada Lovelace<\/td><td>active<\/td><td>Engineers/)
  assert.match(body, /<td>GET<\/td><td>\/scim\/v2\/Users<\/td><td>200/)
  assert.ok(!body.includes(lab.token))
  assert.match(await show('profiles'), /no-totals/)

  const submit = (path: string, fields: Record<string, string>, headers = {}) =>
    fetch(`${lab.page}${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  const foreign = { origin: 'https://evil.example' }
  assert.equal((await submit('by-hand/delete-user', { id }, foreign)).status, 403)
  const own = { origin: lab.page.slice(0, -1) }
  assert.equal((await submit('by-hand/deactivate', { id }, own)).status, 303)
  assert.equal(store.users.get(id)?.active, false)
  assert.equal((await submit('by-hand/delete-user', { id }, own)).status, 303)
  assert.equal((await submit('by-hand/delete-user', { id }, own)).status, 303)
  assert.equal(store.users.size, 0)
  assert.match(await show(), /BY HAND[\s\S]*deleted/)

  assert.equal((await submit('profiles/aws', {}, own)).status, 303)
  assert.match(await show(), /<strong>aws<\/strong>/)
  assert.equal((await submit('profiles/nothing', {}, own)).status, 404)
  lab.use('standard')
})
