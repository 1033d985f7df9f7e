import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startApp } from '../../test/harness.ts'
import { createOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import { hook } from '../platform/hooks.ts'
import { newId } from '../platform/ids.ts'
import { BUILT_IN_ROLES, CredentialCache, linkNewOrganization } from './index.ts'
import { resetKeyAsOperator, setSuspendedAsOperator } from './operator-actions.ts'

const app = await startApp()
/** Another process on the same database. */
const other = await startApp({ beside: app })

/** Far fewer than a credential is remembered for: a change that is not announced is not seen by then. */
const TRIES = 1000

interface Known {
  /** What the other process says about the credential. */
  ask: () => Promise<number>
  /** Makes the change, at this process or as the command line does. */
  change: () => Promise<unknown>
  before: number
  after: number
}

const ok = async (answer: Promise<{ statusCode: number; body: string }>) => {
  const { statusCode, body } = await answer
  assert.ok(statusCode >= 200 && statusCode < 300, body)
}

const statusAt =
  (apiKey: string, url = '/api/users') =>
  async () =>
    (await other.as(apiKey).get(url)).statusCode

/** An administrator whose key is changed by another one of the organization. */
async function ofAdministrator(
  change: (parts: {
    org: Awaited<ReturnType<typeof app.newOrganization>>
    admin: Awaited<ReturnType<typeof app.addAdministrator>>
  }) => Promise<unknown>,
  after = 401,
): Promise<Known> {
  const org = await app.newOrganization()
  const admin = await app.addAdministrator(org.organizationId)
  return {
    ask: statusAt(admin.apiKey),
    change: () => change({ org, admin }),
    before: 200,
    after,
  }
}

const ADMINISTRATOR = BUILT_IN_ROLES.find(({ name }) => name === 'Administrator')!.id

async function newServiceAccount(
  org: Pick<Awaited<ReturnType<typeof app.newOrganization>>, 'post'>,
  headers?: Record<string, string>,
) {
  const authConfig = { authType: 'API_KEY', apiKeyConfig: { lifetime: '30 Days' } }
  const body = { name: `Account ${newId()}`, roleId: ADMINISTRATOR, authConfig }
  const res = await org.post('/api/v2/service-accounts', body, headers)
  assert.equal(res.statusCode, 200, res.body)
  const { objectId, authConfigList } = res.json().serviceAccount
  const [{ objectId: configId, apiKeyConfig }] = authConfigList
  app.secrets.add(apiKeyConfig.apiKey)
  return { id: objectId, configId, apiKey: apiKeyConfig.apiKey as string }
}

async function ofServiceAccount(path: (account: { id: string; configId: string }) => string) {
  const org = await app.newOrganization()
  const account = await newServiceAccount(org)
  return {
    ask: statusAt(account.apiKey),
    change: () => ok(org.delete(`/api/v2/service-accounts/${path(account)}`)),
    before: 200,
    after: 401,
  }
}

async function ofToken(): Promise<Known> {
  const org = await app.newOrganization()
  const res = await org.post('/api/v2/service-accounts', {
    name: 'Pipeline',
    roleId: ADMINISTRATOR,
    authConfig: { authType: 'CLIENT_SECRET', clientSecretConfig: { lifetime: '90 Days' } },
  })
  const { objectId, authConfigList } = res.json().serviceAccount
  const { clientId, clientSecret } = authConfigList[0].clientSecretConfig
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const token = await app.http.inject({
    method: 'POST',
    url: '/oauth2/token',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'grant_type=client_credentials&scope=api',
  })
  const bearer = { authorization: `Bearer ${token.json().access_token}` }
  return {
    ask: async () => (await other.anonymous.get('/api/users', bearer)).statusCode,
    change: () => ok(org.delete(`/api/v2/service-accounts/${objectId}`)),
    before: 200,
    after: 401,
  }
}

/** The role of an administrator gets other scopes. */
async function ofRole(): Promise<Known> {
  const org = await app.newOrganization()
  const name = `Role ${newId()}`
  const role = await org.post('/api/v2/roles', { name, scopes: ['administrators.readonly'] })
  const admin = await app.addAdministrator(org.organizationId)
  await ok(org.put(`/api/users/${admin.id}`, { roleName: name }))
  const fresh = { name, scopes: ['organizations.readonly'] }
  return {
    ask: statusAt(admin.apiKey),
    change: () => ok(org.put(`/api/v2/roles/${role.json().id}`, fresh)),
    before: 200,
    after: 403,
  }
}

/** An administrator of a provider gains or loses an organization. */
async function ofLink(adds: boolean): Promise<Known> {
  const msp = await app.newProvider(2)
  const [first, second] = msp.organizationIds as [string, string]
  const reached = adds ? [first] : [first, second]
  const admin = await app.addProviderAdministrator(msp.providerId, reached)
  const url = `/api/v2/administrators/${admin.id}/organizationlinks`
  return {
    ask: statusAt(admin.apiKey, `/api/organizations/${second}`),
    change: () =>
      ok(adds ? msp.post(url, { organization: second }) : msp.delete(`${url}/${second}`)),
    before: adds ? 404 : 200,
    after: adds ? 200 : 404,
  }
}

/** A provider gets one more organization; `ask` counts what a credential of it reaches. */
async function ofOrganization(
  create: (msp: Awaited<ReturnType<typeof app.newProvider>>) => Promise<unknown>,
): Promise<Known> {
  const msp = await app.newProvider(1)
  const account = await newServiceAccount(msp, { 'x-provider-id': msp.providerId })
  return {
    ask: async () => (await other.as(account.apiKey).get('/api/organizations')).json().totalCount,
    change: () => create(msp),
    before: 1,
    after: 2,
  }
}

const asCommandLine = ({ providerId }: { providerId: string }) => {
  const context: Parameters<typeof createOrganization>[0] = { db: app.db, created: hook() }
  context.created.on(linkNewOrganization({ cache: new CredentialCache() }))
  const caller = { ...systemCaller(providerId, 'gatehouse'), providerId }
  return createOrganization(context, caller, providerId, { name: 'Fresh' })
}

const CHANGES: Record<string, () => Promise<Known>> = {
  'a key that is reset by its owner': () =>
    ofAdministrator(async ({ admin }) => {
      const res = await admin.post(`/api/users/${admin.id}/apikey`, {})
      app.secrets.add(res.json().apiKey)
    }),
  'a key that is taken away': () =>
    ofAdministrator(({ org, admin }) => ok(org.delete(`/api/users/${admin.id}/apikey`))),
  'a key that is reset on the command line': () =>
    ofAdministrator(({ admin }) => resetKeyAsOperator(app.db, admin.email)),
  'an administrator who is suspended': () =>
    ofAdministrator(({ org, admin }) => ok(org.put(`/api/users/${admin.id}`, { suspended: true }))),
  'an administrator who is suspended on the command line': () =>
    ofAdministrator(({ admin }) => setSuspendedAsOperator(app.db, admin.email, true)),
  'an administrator who may have no key': () =>
    ofAdministrator(({ org, admin }) =>
      ok(org.put(`/api/users/${admin.id}`, { apiKeyAllowed: false })),
    ),
  'an administrator with another role': () =>
    ofAdministrator(
      ({ org, admin }) => ok(org.put(`/api/users/${admin.id}`, { roleName: 'Command Runner' })),
      403,
    ),
  'an administrator who is deleted': () =>
    ofAdministrator(({ org, admin }) => ok(org.delete(`/api/users/${admin.id}`))),
  'a role with other scopes': ofRole,
  'a new link to an organization': () => ofLink(true),
  'a link that is taken away': () => ofLink(false),
  'a service account that is deleted': () => ofServiceAccount(({ id }) => id),
  'a key of a service account': () =>
    ofServiceAccount(({ id, configId }) => `${id}/auth-config/${configId}`),
  'a token whose service account is deleted': ofToken,
  'a new organization of a provider': () =>
    ofOrganization((msp) =>
      ok(msp.post(`/api/v2/providers/${msp.providerId}/organizations`, { name: 'Fresh' })),
    ),
  'a new organization, made on the command line': () => ofOrganization(asCommandLine),
}

for (const [what, prepare] of Object.entries(CHANGES)) {
  test(`another process hears of ${what}`, async () => {
    const { ask, change, before, after } = await prepare()
    // The second answer comes from memory.
    assert.deepEqual([await ask(), await ask()], [before, before])
    await change()
    // The notification travels beside the answer; ask until it has arrived.
    let answer = before
    for (let tries = 0; tries < TRIES && answer === before; tries++) {
      answer = await ask()
      // Some answers need no database: the notification must have a chance to be read.
      await setImmediate()
    }
    assert.equal(answer, after)
  })
}
