import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../server/platform/db/sql.ts'
import { startApp } from './harness.ts'
import { addClient, callsOf, type Org } from './oidc/world.ts'
import { addPerson, PASSWORD, Person } from './person.ts'
import { addApplication, bind } from './sso/world.ts'

// What the people and machines of a deleted organization see: nothing of it, until it is restored.

const app = await startApp()
app.secrets.add(PASSWORD)
const { visit, codeFor, exchange, refresh, userinfo } = callsOf(app)

test('sessions, sign-ins, applications and tokens of a deleted organization do not work', async () => {
  const msp = await app.newProvider(1)
  const [organizationId] = msp.organizationIds
  const admin = await app.addAdministrator(organizationId!)
  const org = { ...admin, organizationId: organizationId! } as unknown as Org
  const user = await addPerson(org)
  const saml = await addApplication(org)
  const client = await addClient(app, org, { grantTypes: ['authorization_code', 'refresh_token'] })
  for (const { id } of [saml, client]) await bind(org, id, 'user', user.id)
  const person = await new Person(app.http).enter(user.email)
  const grant = (await exchange(client, await codeFor(client, person))).json()
  const { connectKey } = (await org.get('/api/v2/connect-key')).json()
  app.secrets.add(connectKey)

  /** Statuses of everything that people, applications and machines ask for. */
  const statuses = async () => {
    const kickstart = await app.http.inject({
      url: '/Kickstart',
      headers: { 'x-connect-key': connectKey },
    })
    return {
      session: (await person.get('/applications')).statusCode,
      signIn: (await new Person(app.http).signIn(user.email)).statusCode,
      saml: (await visit(saml.url, person)).statusCode,
      metadata: (await visit(`${saml.url}/metadata`)).statusCode,
      discovery: (await visit(`${client.path}/.well-known/openid-configuration`)).statusCode,
      userinfo: (await userinfo(client, grant.access_token)).statusCode,
      kickstart: kickstart.statusCode,
    }
  }
  const open = {
    session: 200,
    signIn: 200,
    saml: 200,
    metadata: 200,
    discovery: 200,
    userinfo: 200,
    kickstart: 200,
  }
  assert.deepEqual(await statuses(), open)

  const url = `/api/v2/providers/${msp.providerId}/organizations/${organizationId}`
  const { displayName } = (await msp.get(`/api/organizations/${organizationId}`)).json()
  const gone = await msp.delete(`${url}?name=${encodeURIComponent(displayName)}`)
  assert.equal(gone.statusCode, 200, gone.body)
  assert.deepEqual(await statuses(), {
    session: 401,
    signIn: 401,
    saml: 403,
    metadata: 404,
    discovery: 404,
    userinfo: 404,
    kickstart: 401,
  })
  assert.notEqual((await refresh(client, grant.refresh_token)).statusCode, 200)
  // As for a name that nobody has: no mail, and the response does not tell.
  const forgot = { identifier: user.email }
  const asked = await new Person(app.http).post('/password/forgot', forgot)
  const nobody = await new Person(app.http).post('/password/forgot', {
    identifier: 'nobody.at.all',
  })
  assert.deepEqual([asked.statusCode, asked.body], [nobody.statusCode, nobody.body])
  await app.runDueJobs()
  const mails = await app.db.many(sql`select 1 from mails where recipient = ${user.email}`)
  assert.deepEqual(mails, [])

  assert.equal((await msp.post(`${url}/restore`, {})).statusCode, 200)
  assert.deepEqual(await statuses(), open)
})
