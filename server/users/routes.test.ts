import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addUser, person } from '../../test/people.ts'
import { newId } from '../platform/ids.ts'
import { seedUser } from './seed.ts'

const app = await startApp()

const STRONG = 'Tangled-Orchard-58'

test('a minimal user has every member with its default', async () => {
  const org = await app.newOrganization()
  const body = person()
  const res = await org.post('/api/systemusers', body)
  assert.equal(res.statusCode, 200)
  const { _id, id, created, ...rest } = res.json()
  assert.match(_id, /^[0-9a-f]{24}$/)
  assert.equal(id, _id)
  assert.match(created, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const off = 'DISABLED'
  const not = 'NOT_ENROLLED'
  assert.deepEqual(rest, {
    ...body,
    account_locked: false,
    account_locked_date: null,
    activated: false,
    addresses: [],
    admin: null,
    allow_public_key: true,
    alternateEmail: '',
    attributes: [],
    badLoginAttempts: 0,
    company: '',
    costCenter: '',
    creationSource: 'gatehouse:manual',
    delegatedAuthority: null,
    department: '',
    description: '',
    disableDeviceMaxLoginAttempts: false,
    displayname: '',
    employeeIdentifier: null,
    employeeType: '',
    enable_managed_uid: false,
    enable_user_portal_multifactor: false,
    external_dn: '',
    external_source_type: '',
    externally_managed: false,
    firstname: '',
    jobTitle: '',
    lastname: '',
    ldap_binding_user: false,
    location: '',
    managedAppleId: '',
    manager: null,
    mfa: { configured: false, exclusion: false },
    mfaEnrollment: {
      overallStatus: off,
      totpStatus: off,
      pushStatus: not,
      webAuthnStatus: not,
      jcGoStatus: not,
    },
    middlename: '',
    organization: org.organizationId,
    password_date: null,
    password_expiration_date: null,
    password_expired: false,
    password_never_expires: false,
    passwordless_sudo: false,
    phoneNumbers: [],
    public_key: '',
    relationships: [],
    restrictedFields: [],
    samba_service_user: false,
    ssh_keys: [],
    state: 'ACTIVATED',
    sudo: false,
    suspended: false,
    systemUsername: '',
    totp_enabled: false,
    unix_guid: 5001,
    unix_uid: 5001,
  })
  assert.deepEqual((await org.get(`/api/systemusers/${id}`)).json(), res.json())
  assert.equal((await addUser(org)).unix_uid, 5002)
})

test('creating a user leaves an event, a mail to choose a password, and no password in either', async () => {
  const org = await app.newOrganization()
  app.secrets.add(STRONG)
  const user = await addUser(org, { firstname: 'Mei', password: STRONG, sudo: true })
  assert.equal(user.activated, true)
  assert.equal('password' in user, false)
  const [event, ...more] = await org.events()
  assert.deepEqual(more, [])
  assert.equal(event?.event_type, 'systemuser_create')
  assert.deepEqual(event?.resource, { type: 'user', id: user.id, username: user.username })
  const changes = event?.changes as { field: string; to?: unknown }[]
  assert.deepEqual(
    changes.find(({ field }) => field === 'password'),
    { field: 'password' },
  )
  assert.deepEqual(
    changes.find(({ field }) => field === 'sudo'),
    { field: 'sudo', to: true },
  )
  assert.ok(!JSON.stringify(event).includes(STRONG))

  await addUser(org, { alternateEmail: 'private@example.org' })
  const mail = (await org.events()).at(-1)!
  assert.equal(mail.event_type, 'user_activation_email')
  assert.equal(
    (mail.resource as { recipient_email: string }).recipient_email,
    'private@example.org',
  )
})

test('every writable member is returned, and a PUT changes only the members it names', async () => {
  const org = await app.newOrganization()
  const manager = await addUser(org)
  const full = {
    addresses: [{ type: 'work', locality: 'Lyon', country: 'FR' }],
    allow_public_key: false,
    alternateEmail: 'a@example.org',
    attributes: [{ name: 'badge', value: '17' }],
    company: 'Kestrel',
    costCenter: '77',
    delegatedAuthority: { name: 'ActiveDirectory', id: 'x' },
    department: 'Sales',
    description: 'd',
    displayname: 'Mei Chen',
    employeeIdentifier: 'E-1',
    employeeType: 'contractor',
    enable_user_portal_multifactor: 'true',
    external_dn: 'cn=x',
    firstname: 'Mei',
    jobTitle: 'Engineer',
    lastname: 'Chen',
    location: 'Lyon',
    manager: manager.id,
    mfa: { exclusion: true, exclusionUntil: '2031-01-01T00:00:00.000Z' },
    middlename: 'L',
    phoneNumbers: [{ type: 'mobile', number: '+33 1' }],
    relationships: [{ type: 'mentor', value: manager.id }],
    restrictedFields: [{ field: 'username', type: 'scim', id: 'a' }],
    sudo: true,
    unix_uid: 6000,
    unix_guid: 6001,
    unknown_member: { is: 'ignored' },
  }
  const user = await addUser(org, full)
  const { unknown_member, addresses, phoneNumbers, mfa, ...same } = full
  for (const [name, value] of Object.entries({ ...same, enable_user_portal_multifactor: true }))
    assert.deepEqual(user[name], value, name)
  assert.deepEqual(user.mfa, { ...mfa, configured: false })
  assert.deepEqual(user.addresses, [{ ...addresses[0], id: user.addresses[0].id }])
  assert.match(user.phoneNumbers[0].id, /^[0-9a-f]{24}$/)
  assert.equal('unknown_member' in user, false)

  const put = await org.put(`/api/systemusers/${user.id}`, {
    jobTitle: 'Lead',
    location: null,
    manager: '',
    addresses: [...user.addresses, { type: 'home' }],
    sudo: null,
  })
  assert.equal(put.statusCode, 200)
  const after = put.json()
  assert.deepEqual(
    { ...after, addresses: [] },
    { ...user, jobTitle: 'Lead', location: '', manager: null, addresses: [] },
  )
  assert.equal(after.addresses[0].id, user.addresses[0].id)
  assert.equal(after.addresses.length, 2)
  const event = (await org.events()).at(-1)!
  assert.equal(event.event_type, 'systemuser_update')
  assert.deepEqual((event.changes as { field: string }[]).map(({ field }) => field).sort(), [
    'addresses',
    'jobTitle',
    'location',
    'manager',
  ])

  const count = (await org.events()).length
  const nulls = { username: null, email: null, state: null, ssh_keys: null, unix_uid: null }
  assert.deepEqual((await org.put(`/api/systemusers/${user.id}`, nulls)).json(), after)
  assert.equal((await org.put(`/api/systemusers/${user.id}`, after)).statusCode, 200)
  assert.equal((await org.events()).length, count, 'sending the record back is no change')
})

test('bad input is refused, names the field and changes nothing', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { attributes: [{ name: 'a', value: '1' }] })
  const before = (await org.events()).length
  const bad: [object, RegExp][] = [
    [{ username: '' }, /username/],
    [{ username: 'has space' }, /username/],
    [{ email: 'nobody' }, /email/],
    [{ firstname: 'x'.repeat(1025) }, /firstname/],
    [{ employeeIdentifier: 'x'.repeat(257) }, /employeeIdentifier/],
    [{ sudo: 'maybe' }, /sudo/],
    [{ unix_uid: 0 }, /unix_uid/],
    [{ unix_guid: 4_294_967_296 }, /unix_guid/],
    [{ state: 'GONE' }, /state/],
    [{ state: 'ACTIVATED', suspended: true }, /state/],
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
    [{ restrictedFields: [{ field: 'shoe' }] }, /restrictedFields/],
    [{ manager: newId() }, /manager/],
    [{ manager: 'someone' }, /manager/],
    [{ mfa: { exclusion: true, exclusionDays: 0 } }, /mfa/],
    [{ password: 'short' }, /password/],
  ]
  for (const [change, message] of bad) {
    for (const res of [
      await org.put(`/api/systemusers/${user.id}`, change),
      await org.post('/api/systemusers', person(change)),
    ]) {
      assert.equal(res.statusCode, 400, `${JSON.stringify(change)}: ${res.body}`)
      assert.match(res.json().message, message)
      assert.equal(res.json().status, 400)
    }
  }
  for (const body of [{ username: 'x' }, { email: 'x@example.com' }, {}])
    assert.equal((await org.post('/api/systemusers', body)).statusCode, 400)
  assert.equal(
    (await org.put(`/api/systemusers/${user.id}`, { manager: user.id })).statusCode,
    400,
    'a user cannot be their own manager',
  )
  assert.equal((await org.put(`/api/systemusers/${user.id}`, { state: 'STAGED' })).statusCode, 400)
  assert.equal((await org.get('/api/systemusers')).json().totalCount, 1)
  assert.equal((await org.events()).length, before)
})

test('username, email and employeeIdentifier are unique per organization, ignoring case', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { employeeIdentifier: 'E-1' })
  const other = await addUser(org)
  const cases: [object, RegExp, string][] = [
    [{ username: user.username.toUpperCase() }, /^username/, 'username_taken'],
    [{ email: user.email.toUpperCase() }, /^email/, 'email_taken'],
    [{ employeeIdentifier: 'E-1' }, /^employeeIdentifier/, 'employee_identifier_taken'],
  ]
  for (const [taken, message, reason] of cases) {
    const created = await org.post('/api/systemusers', person(taken))
    assert.equal(created.statusCode, 409, created.body)
    assert.match(created.json().message, message)
    assert.equal(created.json().reason, reason)
    assert.equal((await org.put(`/api/systemusers/${other.id}`, taken)).statusCode, 409)
  }
  const elsewhere = await app.newOrganization()
  const same = { username: user.username, email: user.email, employeeIdentifier: 'E-1' }
  assert.equal((await elsewhere.post('/api/systemusers', same)).statusCode, 200)
})

test('names are compared and searched case-insensitively in every script', async () => {
  const org = await app.newOrganization()
  const mueller = await addUser(org, { username: 'Jürgen.Müller', lastname: 'ÉMILE' })
  const decomposed = 'ju\u0308rgen.mu\u0308ller'
  for (const username of ['JÜRGEN.MÜLLER', decomposed]) {
    const res = await org.post('/api/systemusers', person({ username }))
    assert.equal(res.statusCode, 409, username)
  }
  const found = async (term: string, fields?: string[]) => {
    const searchFilter = { searchTerm: term, ...(fields && { fields }) }
    const res = await org.post('/api/search/systemusers', { searchFilter })
    return res.json().results.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await found('MÜLL', ['username']), [mueller.id])
  assert.deepEqual(await found(decomposed, ['username']), [mueller.id])
  assert.deepEqual(await found('émi', ['lastname']), [mueller.id])
  const regex = await org.post('/api/search/systemusers', {
    filter: [{ lastname: { $regex: '(?i)^émile$' } }],
  })
  assert.equal(regex.json().totalCount, 1)
})

test('a password must satisfy the policy, and the broken rules can be requested', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const policy = { passwordPolicy: { needsSymbolic: true, enableMaxHistory: true, maxHistory: 2 } }
  const settings = await org.put(`/api/organizations/${org.organizationId}`, { settings: policy })
  assert.equal(settings.statusCode, 200)
  const url = `/api/systemusers/${user.id}`
  const res = await org.put(`${url}?fullValidationDetails=password`, { password: 'tangled' })
  assert.equal(res.statusCode, 400)
  assert.deepEqual(res.json(), {
    code: 400,
    message: 'Password validation fail',
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolationsList: ['minLength', 'uppercase', 'number', 'specialCharacter'].map(
          (description) => ({ field: 'password', description }),
        ),
      },
    ],
    reason: 'password_rejected',
  })
  const [first, second, third] = ['Tangled-Orchard-58', 'Tangled-Orchard-59', 'Tangled-Orchard-60']
  for (const secret of [first, second, third]) app.secrets.add(secret!)
  const set = (password: string | undefined) => org.post(`${url}/password`, { password })
  assert.equal((await set(first)).statusCode, 200)
  assert.equal((await set(second)).statusCode, 200)
  const again = await set(first)
  assert.equal(again.statusCode, 400)
  assert.match(again.json().message, /recent passwords/)
  assert.equal(again.json().reason, 'password_rejected')
  assert.equal((await set(third)).statusCode, 200)
  assert.equal((await set(first)).statusCode, 200, 'it may be reused after two other passwords')
  assert.equal((await org.get(url)).json().activated, true)
  const types = (await org.eventTypes()).filter((type) => type.startsWith('user_password'))
  assert.deepEqual(types, [
    'user_password_set',
    'user_password_change',
    'user_password_change',
    'user_password_change',
  ])
})

test('password expiration follows the policy, except for password_never_expires', async () => {
  const org = await app.newOrganization()
  const policy = { enablePasswordExpirationInDays: true, passwordExpirationInDays: 10 }
  await org.put(`/api/organizations/${org.organizationId}`, {
    settings: { passwordPolicy: policy },
  })
  app.secrets.add(STRONG)
  const user = await addUser(org, { password: STRONG })
  const days =
    (Date.parse(user.password_expiration_date) - Date.parse(user.password_date)) / 86_400_000
  assert.equal(days, 10)
  const never = await addUser(org, { password: STRONG, password_never_expires: true })
  assert.equal(never.password_expiration_date, null)
})

test('lists: paging, sorting, filtering, search and projection', async () => {
  const org = await app.newOrganization()
  const users: { id: string; lastname: string; username: string }[] = []
  for (const [lastname, department, sudo] of [
    ['Okafor', 'Sales', true],
    ['Chen', 'Design', false],
    ['Ágoston', 'Sales', false],
  ] as const)
    users.push(await addUser(org, { lastname, department, sudo, displayname: `D ${lastname}` }))
  const names = async (query: string) => {
    const res = await org.get(`/api/systemusers?${query}`)
    assert.equal(res.statusCode, 200, res.body)
    return res.json().results.map((user: { lastname: string }) => user.lastname)
  }
  assert.deepEqual(await names(''), ['Okafor', 'Chen', 'Ágoston'].toSorted(byId))
  function byId(a: string, b: string) {
    const id = (name: string) => users.find((user) => user.lastname === name)!.id
    return id(a) < id(b) ? -1 : 1
  }
  assert.deepEqual(await names('sort=lastname&limit=1&skip=1'), ['Okafor'])
  assert.deepEqual(await names('sort=-lastname'), ['Ágoston', 'Okafor', 'Chen'])
  assert.deepEqual(await names('filter=department:$eq:Sales&sort=lastname'), ['Okafor', 'Ágoston'])
  assert.deepEqual(await names('filter=sudo:$eq:true'), ['Okafor'])
  assert.deepEqual(
    await names('filter=suspended:$eq:false&filter=company:$eq:&limit=0&sort=lastname'),
    ['Chen', 'Okafor', 'Ágoston'],
  )
  assert.deepEqual(await names('filter=unix_uid:$gt:5002'), ['Ágoston'])
  const search = encodeURIComponent(
    JSON.stringify({ searchTerm: 'D OKA', fields: ['displayname'] }),
  )
  assert.deepEqual(await names(`search=${search}`), ['Okafor'])
  const everybody = encodeURIComponent(JSON.stringify({ searchTerm: 'USER.' }))
  const page = (await org.get(`/api/systemusers?search=${everybody}&limit=2`)).json()
  assert.deepEqual([page.totalCount, page.results.length], [3, 2])
  const past = (await org.get(`/api/systemusers?search=${everybody}&skip=3`)).json()
  assert.deepEqual(past, { totalCount: 3, results: [] })
  assert.deepEqual(await names('search=nobody'), [])
  const fields = (await org.get('/api/systemusers?fields=lastname&limit=1')).json()
  assert.equal(fields.totalCount, 3)
  assert.deepEqual(Object.keys(fields.results[0]).sort(), ['_id', 'id', 'lastname'])
  assert.equal((await org.get('/api/systemusers?filter=shoe:$eq:1')).statusCode, 400)

  const found = await org.post('/api/search/systemusers', {
    filter: { and: [{ department: 'Sales' }, { lastname: { $regex: '(?i)^OKAFOR$' } }] },
    fields: ['username'],
    limit: 1000,
  })
  assert.equal(found.statusCode, 200)
  assert.deepEqual(found.json().results, [
    { _id: users[0]!.id, id: users[0]!.id, username: users[0]!.username },
  ])
  const partial = await org.post('/api/search/systemusers', {
    searchFilter: { searchTerm: ['chen'], fields: ['lastname', 'email'] },
  })
  assert.equal(partial.json().totalCount, 1)
})

test('custom attributes can be filtered, sorted and searched by their names', async () => {
  const org = await app.newOrganization()
  const red = await addUser(org, { attributes: [{ name: 'team colour', value: 'Red' }] })
  const blue = await addUser(org, { attributes: [{ name: 'team colour', value: 'Blue' }] })
  const none = await addUser(org)
  const find = async (query: string) =>
    (await org.get(`/api/systemusers?${query}`)).json().results.map(({ id }: { id: string }) => id)
  const field = encodeURIComponent('attributes.team colour')
  assert.deepEqual(await find(`filter=${field}:$eq:Red`), [red.id])
  const search = { searchTerm: 'blu', fields: ['attributes.team'] }
  assert.deepEqual((await org.post('/api/search/systemusers', { searchFilter: search })).json(), {
    totalCount: 0,
    results: [],
  })
  const found = await org.post('/api/search/systemusers', {
    filter: { 'attributes.team colour': { $regex: '(?i)^blue$' } },
    fields: 'username',
  })
  assert.deepEqual(found.json().results, [{ _id: blue.id, id: blue.id, username: blue.username }])
  const plain = await addUser(org, { attributes: [{ name: 'team', value: 'a' }] })
  const sorted = await find('sort=-attributes.team&limit=1')
  assert.deepEqual(sorted, [plain.id])
  assert.ok(!sorted.includes(none.id))
})

test('deleting a manager requires cascade_manager', async () => {
  const org = await app.newOrganization()
  const [manager, next] = [await addUser(org), await addUser(org)]
  const report = await addUser(org, { manager: manager.id })
  const url = `/api/systemusers/${manager.id}`
  assert.equal((await org.delete(url)).statusCode, 409)
  assert.equal((await org.delete(`${url}?cascade_manager=${newId()}`)).statusCode, 400)
  assert.equal((await org.delete(`${url}?cascade_manager=${manager.id}`)).statusCode, 400)
  assert.equal((await org.get(url)).statusCode, 200)
  const gone = await org.delete(`${url}?cascade_manager=${next.id}`)
  assert.equal(gone.statusCode, 200)
  assert.deepEqual(gone.json(), manager)
  assert.equal((await org.get(`/api/systemusers/${report.id}`)).json().manager, next.id)
  const last = (await org.events()).slice(-2)
  assert.deepEqual(
    last.map(({ event_type, changes }) => [event_type, changes]),
    [
      ['systemuser_update', [{ field: 'manager', from: manager.id, to: next.id }]],
      ['systemuser_delete', undefined],
    ],
  )
  assert.equal(
    (await org.delete(`/api/systemusers/${next.id}?cascade_manager=null`)).statusCode,
    200,
  )
  assert.equal((await org.get(`/api/systemusers/${report.id}`)).json().manager, null)
  assert.equal((await org.get(url)).statusCode, 404)
  assert.equal((await org.delete(url)).statusCode, 404)
  assert.equal((await org.put(url, { firstname: 'x' })).statusCode, 404)
  assert.equal((await org.get('/api/systemusers')).json().totalCount, 1)
})

test('a deleted user is restored unchanged, unless the name has been taken', async () => {
  const org = await app.newOrganization()
  app.secrets.add(STRONG)
  const user = await addUser(org, { password: STRONG, department: 'Sales' })
  const url = `/api/systemusers/${user.id}`
  assert.equal((await org.post(`${url}/restore`)).statusCode, 404, 'it is not deleted')
  await org.delete(url)
  const heir = await addUser(org, { username: user.username })
  const taken = await org.post(`${url}/restore`)
  assert.equal(taken.statusCode, 409)
  assert.match(taken.json().message, /^username/)
  assert.equal(taken.json().reason, 'username_taken')
  await org.delete(`/api/systemusers/${heir.id}`)
  const stranger = await app.newOrganization()
  assert.equal((await stranger.post(`${url}/restore`)).statusCode, 404)
  const back = await org.post(`${url}/restore`)
  assert.equal(back.statusCode, 200)
  assert.deepEqual(back.json(), user)
  assert.deepEqual((await org.get(url)).json(), user)
  assert.equal((await org.eventTypes()).at(-1), 'systemuser_restore')
})

test('an organization cannot exceed its user limit', async () => {
  const org = await app.newOrganization()
  await org.put(`/api/organizations/${org.organizationId}`, { settings: { maxSystemUsers: 1 } })
  const first = await addUser(org)
  assert.equal((await org.post('/api/systemusers', person())).statusCode, 400)
  await org.delete(`/api/systemusers/${first.id}`)
  await addUser(org)
  const back = await org.post(`/api/systemusers/${first.id}/restore`)
  assert.equal(back.statusCode, 400, 'a restore counts too')
  assert.equal(back.json().reason, 'max_system_users')
})

test('concurrent creates cannot exceed the user limit, even with explicit uids', async () => {
  const org = await app.newOrganization()
  await org.put(`/api/organizations/${org.organizationId}`, { settings: { maxSystemUsers: 2 } })
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const body = person({ unix_uid: 7000 + at })
      return (await org.post('/api/systemusers', body)).statusCode
    }),
  )
  assert.deepEqual(statuses.sort(), [200, 200, 400, 400, 400, 400, 400, 400])
})

test('the default state of new users is the organization’s', async () => {
  const org = await app.newOrganization()
  const settings = { newSystemUserStateDefaults: { manualEntry: 'STAGED' } }
  await org.put(`/api/organizations/${org.organizationId}`, { settings })
  const staged = await addUser(org)
  assert.equal(staged.state, 'STAGED')
  assert.equal((await addUser(org, { state: 'ACTIVATED' })).state, 'ACTIVATED')
  assert.equal((await addUser(org, { suspended: true })).state, 'SUSPENDED')
  const mails = (await org.events()).filter((event) => event.event_type === 'user_activation_email')
  assert.equal(mails.length, 1, 'only the active user')
})

test('roles: read and write scopes are enforced', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  const helper = await app.addAdministrator(org.organizationId, 'Help Desk')
  const url = `/api/systemusers/${user.id}`
  assert.equal((await reader.get(url)).statusCode, 200)
  assert.equal((await reader.post('/api/search/systemusers', {})).statusCode, 200)
  assert.equal((await runner.get('/api/systemusers')).statusCode, 200)
  assert.equal((await runner.get(url)).statusCode, 403)
  assert.equal((await helper.put(url, { firstname: 'x' })).statusCode, 200)
  for (const who of [reader, runner]) {
    assert.equal((await who.post('/api/systemusers', person())).statusCode, 403)
    assert.equal((await who.put(url, { firstname: 'y' })).statusCode, 403)
    assert.equal((await who.delete(url)).statusCode, 403)
    assert.equal((await who.post(`${url}/restore`)).statusCode, 403)
  }
  assert.equal((await app.anonymous.get(url)).statusCode, 401)
})

test('another organization can neither see nor change a user', async () => {
  const [org, stranger] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addUser(org)
  const url = `/api/systemusers/${user.id}`
  assert.equal((await stranger.get(url)).statusCode, 404)
  assert.equal((await stranger.put(url, { firstname: 'x' })).statusCode, 404)
  assert.equal((await stranger.delete(url)).statusCode, 404)
  assert.deepEqual((await stranger.get('/api/systemusers')).json(), { totalCount: 0, results: [] })
  assert.equal((await stranger.post('/api/search/systemusers', {})).json().totalCount, 0)
  const theirs = await stranger.post('/api/systemusers', person({ manager: user.id }))
  assert.deepEqual(
    [theirs.statusCode, theirs.json().reason],
    [400, 'manager_not_found'],
    'a manager must belong to the same organization',
  )
  assert.deepEqual((await org.get(url)).json(), user)
})

test('an administrator of several organizations chooses one by x-org-id', async () => {
  const msp = await app.newProvider(2)
  const [one, two] = msp.organizationIds
  const made = await msp.post('/api/systemusers', person(), { 'x-org-id': one! })
  assert.equal(made.statusCode, 200)
  const url = `/api/systemusers/${made.json().id}`
  assert.equal((await msp.get(url, { 'x-org-id': two! })).statusCode, 404)
  assert.equal((await msp.get(url)).statusCode, 401)
  assert.equal((await msp.get(url, { 'x-org-id': one! })).statusCode, 200)
})

test('paths are case-insensitive and may end in a slash', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  assert.equal((await org.get(`/api/Systemusers/${user.id}/`)).statusCode, 200)
})

test('the record of a user who is also an administrator shows it', async () => {
  const org = await app.newOrganization('Manager')
  const user = await addUser(org, { email: org.email.toUpperCase() })
  const admin = { id: org.adminId, roleName: 'Manager', roleNames: ['Manager'] }
  assert.deepEqual(user.admin, admin)
  await addUser(org)
  assert.deepEqual((await org.get(`/api/systemusers/${user.id}`)).json().admin, admin)
  const list = (await org.get('/api/systemusers?sort=unix_uid')).json().results
  assert.deepEqual(
    list.map((one: { admin: unknown }) => one.admin),
    [admin, null],
  )
})

test('search results include the groups of each user; lists do not', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const group = (await org.post('/api/v2/usergroups', { name: 'Sales' })).json()
  const member = { op: 'add', type: 'user', id: user.id }
  assert.equal((await org.post(`/api/v2/usergroups/${group.id}/members`, member)).statusCode, 204)
  const found = (await org.post('/api/search/systemusers', {})).json().results
  assert.deepEqual(found[0].memberof, [group.id])
  assert.equal('memberof' in (await org.get('/api/systemusers')).json().results[0], false)

  await org.delete(`/api/systemusers/${user.id}`)
  const members = `/api/v2/usergroups/${group.id}/members`
  assert.deepEqual((await org.get(members)).json(), [])
  await org.post(`/api/systemusers/${user.id}/restore`)
  assert.equal((await org.get(members)).json().length, 1, 'restored with its memberships')
})

test('a page may hold a thousand users, in lists and in search', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const seeded = { passwordHash: null, created: new Date(), source: 'gatehouse:bulk' }
  await app.db.tx(organizationId, async (tx) => {
    for (let at = 0; at < 120; at++) {
      const body = { ...person(), state: 'STAGED' as const }
      await seedUser(tx, organizationId, { ...seeded, id: newId(), body })
    }
  })
  const ids = (res: { json(): { totalCount: number; results: { id: string }[] } }) => {
    assert.equal(res.json().totalCount, 120)
    return res.json().results.map(({ id }) => id)
  }
  const all = ids(await org.get('/api/systemusers?limit=1000'))
  assert.equal(new Set(all).size, 120)
  assert.deepEqual(all, all.toSorted())
  const search = '/api/search/systemusers?limit=1000&skip=0'
  assert.deepEqual(ids(await org.post(search, { limit: 1000, skip: 0 })), all)
  assert.deepEqual(ids(await org.post('/api/search/systemusers?limit=1000')), all)
  const pages = []
  for (let skip = 0; skip < 120; skip += 50)
    pages.push(...ids(await org.get(`/api/systemusers?limit=50&skip=${skip}&sort=_id`)))
  assert.deepEqual(pages, all)
  assert.deepEqual(ids(await org.get('/api/systemusers?skip=120')), [])
})

test('of several concurrent creates with the same name, one succeeds', async () => {
  const org = await app.newOrganization()
  const { username } = person()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => org.post('/api/systemusers', person({ username }))),
  )
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409, 409, 409, 409])
  assert.equal((await org.eventTypes()).filter((type) => type === 'systemuser_create').length, 1)
})

test('concurrent changes are all applied', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org)
  const fields = ['company', 'costCenter', 'department', 'jobTitle', 'location']
  await Promise.all(
    fields.map((field) => org.put(`/api/systemusers/${user.id}`, { [field]: field })),
  )
  const after = (await org.get(`/api/systemusers/${user.id}`)).json()
  for (const field of fields) assert.equal(after[field], field)
})

test('a manager is deleted while a user is assigned to them', async () => {
  const org = await app.newOrganization()
  const [manager, report] = [await addUser(org), await addUser(org)]
  const [put, gone] = await Promise.all([
    org.put(`/api/systemusers/${report.id}`, { manager: manager.id }),
    org.delete(`/api/systemusers/${manager.id}`),
  ])
  // The first request wins; no user reports to a deleted manager.
  assert.ok(
    (put.statusCode === 200 && gone.statusCode === 409) ||
      (put.statusCode === 400 && gone.statusCode === 200),
    `${put.statusCode} ${gone.statusCode}`,
  )
})

test('two managers are deleted concurrently, each naming the other as successor', async () => {
  const org = await app.newOrganization()
  for (let round = 0; round < 10; round++) {
    const [one, two] = [await addUser(org), await addUser(org)]
    for (const manager of [one.id, two.id]) await addUser(org, { manager })
    const answers = await Promise.all([
      org.delete(`/api/systemusers/${one.id}?cascade_manager=${two.id}`),
      org.delete(`/api/systemusers/${two.id}?cascade_manager=${one.id}`),
    ])
    // The second request finds the other manager deleted.
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 400])
  }
})

test('users created concurrently get distinct uids', async () => {
  const org = await app.newOrganization()
  const made = await Promise.all(Array.from({ length: 8 }, () => addUser(org)))
  assert.equal(new Set(made.map(({ unix_uid }) => unix_uid)).size, 8)
})

test('a user has no policies', async () => {
  const org = await app.newOrganization()
  const { id } = await addUser(org)
  const url = `/api/v2/users/${id}/policystatuses`
  const res = await org.get(url)
  assert.equal(res.statusCode, 200, res.body)
  assert.deepEqual([res.json(), res.headers['x-total-count']], [[], '0'])
  assert.equal((await org.get(`${url}?skip=-1`)).statusCode, 400)
  assert.equal((await org.get(`/api/v2/users/${newId()}/policystatuses`)).statusCode, 404)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(url)).statusCode, 403)
})

test('push endpoints cannot be enrolled, and none is found', async () => {
  const org = await app.newOrganization()
  const { id } = await addUser(org)
  const url = `/api/v2/users/${id}/pushendpoints`
  const none = await org.get(url)
  assert.equal(none.statusCode, 200, none.body)
  assert.deepEqual(none.json(), [])
  const one = `${url}/${newId()}`
  for (const res of [
    await org.get(one),
    await org.patch(one, { name: 'mine' }),
    await org.delete(one),
    await org.post(`${one}/verify`, { message: 'Is it you?' }),
  ]) {
    assert.equal(res.statusCode, 404)
    assert.equal(res.json().reason, 'push_endpoint_not_found')
  }
  assert.equal((await org.get(`/api/v2/users/${newId()}/pushendpoints`)).statusCode, 404)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(url)).statusCode, 403)
  assert.equal((await runner.delete(one)).statusCode, 403)
})
