import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { BUILT_IN_ROLES, SCOPES, SYSTEM_SCOPES } from './roles.ts'

const app = await startApp()

test('the seven built-in roles exist, with known scopes', async () => {
  const org = await app.newOrganization()
  const { results, totalCount } = (await org.get('/api/v2/roles')).json()
  assert.equal(totalCount, 7)
  assert.deepEqual(
    results.map((role: { name: string }) => role.name),
    [
      'Administrator with Billing',
      'Administrator',
      'Manager',
      'Help Desk',
      'Read Only',
      'Command Runner',
      'Command Runner with Billing',
    ],
  )
  for (const role of BUILT_IN_ROLES)
    for (const scope of role.scopes) assert.ok(SCOPES.includes(scope), scope)
  const readOnly = BUILT_IN_ROLES.find((role) => role.name === 'Read Only')!
  assert.ok(readOnly.scopes.every((scope) => scope.endsWith('.readonly')))
  assert.ok(
    !BUILT_IN_ROLES.find((role) => role.name === 'Command Runner')!.scopes.some((scope) =>
      scope.startsWith('insights'),
    ),
  )
  const groups = (await org.get('/api/v2/scope-groups')).json()
  assert.deepEqual(
    groups.results.flatMap((group: { scopes: string[] }) => group.scopes).sort(),
    [...SCOPES].sort(),
  )
})

test('every scope that a route requires exists', () => {
  for (const { scopes, hostRootPath } of app.operations) {
    for (const scope of scopes ?? [])
      assert.ok([...SCOPES, ...SYSTEM_SCOPES].includes(scope), `${scope} of ${hostRootPath}`)
  }
})

test('a custom role is created, assigned, enforced, replaced and deleted', async () => {
  const org = await app.newOrganization()
  const made = await org.post('/api/v2/roles', {
    name: 'Auditor',
    scopes: ['administrators.readonly'],
    description: 'Looks',
  })
  assert.equal(made.statusCode, 200)
  const role = made.json()
  assert.deepEqual(role, {
    id: role.id,
    name: 'Auditor',
    description: 'Looks',
    scopes: ['administrators.readonly'],
  })
  const admin = await app.addAdministrator(org.organizationId)
  assert.equal(
    (await org.put(`/api/users/${admin.id}`, { roleName: 'auditor' })).json().roleName,
    'Auditor',
  )
  assert.equal((await admin.get('/api/users')).statusCode, 200)
  const brief = (await admin.get('/api/organizations')).json().results
  assert.deepEqual(
    brief.map((one: object) => Object.keys(one).sort()),
    [['_id', 'displayName', 'id']],
  )

  const replaced = await org.put(`/api/v2/roles/${role.id}`, {
    name: 'Auditor',
    scopes: ['organizations.readonly'],
  })
  assert.deepEqual(replaced.json(), {
    id: role.id,
    name: 'Auditor',
    description: '',
    scopes: ['organizations.readonly'],
  })
  assert.equal((await admin.get('/api/users')).statusCode, 403)
  assert.ok((await admin.get('/api/organizations')).json().results[0].created)

  assert.equal((await org.delete(`/api/v2/roles/${role.id}`)).statusCode, 409)
  await org.put(`/api/users/${admin.id}`, { roleName: 'Read Only' })
  assert.deepEqual((await org.delete(`/api/v2/roles/${role.id}`)).json(), {})
  assert.equal((await org.get(`/api/v2/roles/${role.id}`)).statusCode, 404)
  const types = await org.eventTypes()
  for (const type of ['role_create', 'role_update', 'role_delete'])
    assert.ok(types.includes(type), type)
})

test('bad roles are refused; built-in ones cannot be changed', async () => {
  const org = await app.newOrganization()
  assert.equal((await org.post('/api/v2/roles', { name: 'x', scopes: ['nope'] })).statusCode, 400)
  assert.equal((await org.post('/api/v2/roles', { name: 'x', scopes: [] })).statusCode, 400)
  assert.equal(
    (await org.post('/api/v2/roles', { name: 'administrator', scopes: ['users'] })).statusCode,
    409,
  )
  await org.post('/api/v2/roles', { name: 'Twice', scopes: ['users'] })
  assert.equal(
    (await org.post('/api/v2/roles', { name: 'TWICE', scopes: ['users'] })).statusCode,
    409,
  )
  const builtIn = BUILT_IN_ROLES[1]!.id
  assert.equal(
    (await org.put(`/api/v2/roles/${builtIn}`, { name: 'Mine', scopes: ['users'] })).statusCode,
    403,
  )
  assert.equal((await org.delete(`/api/v2/roles/${builtIn}`)).statusCode, 403)
  const lesser = await app.newOrganization('Administrator')
  assert.equal(
    (await lesser.post('/api/v2/roles', { name: 'More', scopes: ['billing'] })).statusCode,
    403,
  )
  const reader = await app.newOrganization('Read Only')
  assert.equal(
    (await reader.post('/api/v2/roles', { name: 'x', scopes: ['users.readonly'] })).statusCode,
    403,
  )
})

test('another organization sees no custom role and no service account', async () => {
  const org = await app.newOrganization()
  const other = await app.newOrganization()
  const role = (await org.post('/api/v2/roles', { name: 'Private', scopes: ['users'] })).json()
  const account = (
    await org.post('/api/v2/service-accounts', {
      name: 'Robot',
      roleId: role.id,
      authConfig: { authType: 'API_KEY' },
    })
  ).json().serviceAccount
  app.secrets.add(account.authConfigList[0].apiKeyConfig.apiKey)
  assert.equal((await other.get('/api/v2/roles')).json().totalCount, 7)
  assert.equal((await other.get('/api/v2/service-accounts')).json().totalCount, 0)
  for (const url of [`/api/v2/roles/${role.id}`, `/api/v2/service-accounts/${account.objectId}`]) {
    assert.equal((await other.get(url)).statusCode, 404)
    assert.equal((await other.delete(url)).statusCode, 404)
  }
  assert.equal(
    (await other.put(`/api/v2/roles/${role.id}`, { name: 'Mine', scopes: ['users'] })).statusCode,
    404,
  )
  assert.equal(
    (
      await other.post(`/api/v2/service-accounts/${account.objectId}/auth-config`, {
        authType: 'API_KEY',
      })
    ).statusCode,
    404,
  )
  assert.equal(
    (
      await other.delete(
        `/api/v2/service-accounts/${account.objectId}/auth-config/${account.authConfigList[0].objectId}`,
      )
    ).statusCode,
    404,
  )
  assert.equal(
    (
      await other.post('/api/v2/service-accounts', {
        name: 'x',
        roleId: role.id,
        authConfig: { authType: 'API_KEY' },
      })
    ).statusCode,
    400,
  )
  assert.equal((await org.get(`/api/v2/service-accounts/${account.objectId}`)).statusCode, 200)
})

test('a service account calls the API with its key, within its role', async () => {
  const org = await app.newOrganization()
  const readOnly = BUILT_IN_ROLES.find((role) => role.name === 'Read Only')!.id
  const made = await org.post('/api/v2/service-accounts', {
    name: 'Collector',
    roleId: readOnly,
    authConfig: { authType: 'API_KEY', apiKeyConfig: { lifetime: '30 Days' } },
  })
  assert.equal(made.statusCode, 200)
  const { serviceAccount } = made.json()
  assert.equal(serviceAccount.roleName, 'Read Only')
  assert.equal(serviceAccount.status, 'ACTIVE')
  const days = (Date.parse(serviceAccount.expiresAt) - Date.now()) / 86_400_000
  assert.ok(days > 29.9 && days <= 30)
  const { apiKey } = serviceAccount.authConfigList[0].apiKeyConfig
  app.secrets.add(apiKey)
  const robot = app.as(apiKey)
  assert.equal((await robot.get('/api/users')).statusCode, 200)
  assert.equal(
    (await robot.post('/api/v2/roles', { name: 'x', scopes: ['users'] })).statusCode,
    403,
  )
  const shown = (await org.get(`/api/v2/service-accounts/${serviceAccount.objectId}`)).json()
    .serviceAccount
  assert.equal(shown.authConfigList[0].apiKeyConfig.apiKey, undefined, 'the key is shown once')

  const rotated = await org.post(
    `/api/v2/service-accounts/${serviceAccount.objectId}/auth-config`,
    { authType: 'API_KEY' },
  )
  const next = rotated.json().authConfig.apiKeyConfig.apiKey
  app.secrets.add(next)
  assert.equal((await app.as(next).get('/api/users')).statusCode, 200)
  const old = serviceAccount.authConfigList[0].objectId
  assert.deepEqual(
    (
      await org.delete(`/api/v2/service-accounts/${serviceAccount.objectId}/auth-config/${old}`)
    ).json(),
    {},
  )
  assert.equal((await robot.get('/api/users')).statusCode, 401)
  assert.equal((await app.as(next).get('/api/users')).statusCode, 200)
  assert.deepEqual(
    (await org.delete(`/api/v2/service-accounts/${serviceAccount.objectId}`)).json(),
    {},
  )
  assert.equal((await app.as(next).get('/api/users')).statusCode, 401)
  assert.deepEqual(await org.eventTypes(), [
    'service_account_create',
    'service_account_update',
    'service_account_update',
    'service_account_delete',
  ])
})

test('a service account with a client secret exchanges it for a token', async () => {
  const org = await app.newOrganization()
  const role = BUILT_IN_ROLES.find((candidate) => candidate.name === 'Administrator')!.id
  const made = await org.post('/api/v2/service-accounts', {
    name: 'Pipeline',
    roleId: role,
    authConfig: { authType: 'CLIENT_SECRET', clientSecretConfig: { lifetime: '90 Days' } },
  })
  const { objectId, authConfigList } = made.json().serviceAccount
  const { clientId, clientSecret } = authConfigList[0].clientSecretConfig
  assert.equal(clientId, objectId)
  app.secrets.add(clientSecret)
  const exchange = (
    id: string,
    secret: string,
    payload = 'grant_type=client_credentials&scope=api',
  ) =>
    app.http.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload,
    })
  const res = await exchange(clientId, clientSecret)
  assert.equal(res.statusCode, 200)
  assert.deepEqual(
    [res.json().token_type, res.json().expires_in, res.headers['cache-control']],
    ['bearer', 3600, 'no-store'],
  )
  const bearer = { authorization: `Bearer ${res.json().access_token}` }
  app.secrets.add(res.json().access_token)
  assert.equal((await app.anonymous.get('/api/users', bearer)).statusCode, 200)
  const created = await app.anonymous.post(
    '/api/v2/roles',
    { name: 'By token', scopes: ['users'] },
    bearer,
  )
  assert.equal(created.statusCode, 200)
  const event = (await org.events()).at(-1)
  assert.deepEqual(event?.initiated_by, { type: 'service_account', id: objectId, name: 'pipeline' })

  // What a token makes may last as long as the secret behind it, not only for its own hour.
  const another = (lifetime: string) =>
    app.anonymous.post(
      '/api/v2/service-accounts',
      {
        name: lifetime,
        roleId: role,
        authConfig: { authType: 'API_KEY', apiKeyConfig: { lifetime } },
      },
      bearer,
    )
  const shorter = await another('60 Days')
  assert.equal(shorter.statusCode, 200, shorter.body)
  app.secrets.add(shorter.json().serviceAccount.authConfigList[0].apiKeyConfig.apiKey)
  assert.equal((await another('365 Days')).json().reason, 'outlasts_credential')

  const wrong = await exchange(clientId, 'wrong')
  assert.equal(wrong.statusCode, 401)
  assert.equal(wrong.json().error, 'invalid_client')
  assert.match(String(wrong.headers['www-authenticate']), /^Basic/)
  assert.equal((await exchange(clientId, clientSecret, 'grant_type=password')).statusCode, 400)
  assert.equal(
    (await app.as(clientSecret).get('/api/users')).statusCode,
    401,
    'a client secret is no API key',
  )

  await org.delete(`/api/v2/service-accounts/${objectId}`)
  assert.equal((await app.anonymous.get('/api/users', bearer)).statusCode, 401)
})
