import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fastify from 'fastify'
import type { DemoCredentials } from '../demo/credentials.ts'
import { connectPeople, createDemoLab, loadDemo } from '../demo/index.ts'
import { checkPassword } from '../server/admins/index.ts'
import { findSsoApplication } from '../server/applications/index.ts'
import { unlistedMembers } from '../server/insights/fields.ts'
import type { Service } from '../server/insights/services.ts'
import { sql } from '../server/platform/db/sql.ts'
import { findUserByLogin } from '../server/users/index.ts'
import { tempDirectory } from './database.ts'
import { signedCaller } from './enrol.ts'
import { startApp } from './harness.ts'
import { ownEvents } from './own-events.ts'

const DAY = 86_400_000

// The lists of the specification, section "Directory Insights event"; directory with those of the portal.
const FIELDS: Record<string, string> = {
  access_management:
    'id event_type timestamp service pid organization access_request_id changes resource workflow initiated_by association client_ip user_agent success geoip provider error_message @version',
  alert:
    'id event_type timestamp service organization changes correlation category geoip initiated_by client_ip success severity username resource',
  directory:
    'id correlation event_type timestamp resource system_group organization changes initiated_by association client_ip useragent auth_method success mfa mfa_meta geoip provider service auth_context application idm_client_id error_message message_chain @version system target_resource',
  ldap: 'timestamp connection_id operation_number event_type dn auth_method mech start_tls tls_established username organization success error_code error_message oid base scope deref filter attr number_of_results service initiated_by auth_meta @version',
  mdm: 'id timestamp organization event_type mdm_type device_object_id device_manager_object_id windows_device_uuid initiated_by command_uuid request_type command status error_chain success result geoip @version service',
  notifications:
    'id timestamp organization event_type name type description channel_object_id correlation config success initiated_by client_ip',
  object_storage:
    'id timestamp event_type service result organization referrer_object_id referrer_type object_storage_item_object_id object_storage_item_version_object_id object_storage_item_version_name object_storage_item_version_size object_storage_item_version_sha_256_sum total_software_item_count total_space_used system_object_id @version',
  password_vault:
    'id event_type timestamp service organization changes initiated_by association client_ip user_agent success geoip provider error_message @version',
  radius:
    'id event_type nas_mfa_state auth_type eap_type client_ip geoip success username organization timestamp error_message mfa mfa_meta outer service initiated_by @version',
  reports:
    'id event_type timestamp service organization changes resource initiated_by auth_method client_ip user_agent geoip provider @version',
  saas_app_management:
    'id event_type timestamp service organization changes geoip initiated_by client_ip username resource account_id catalog_app_id login_identifier detail @version',
  software:
    'id event_type service timestamp provider organization system application changes resource app_management_source @version',
  sso: 'id event_type timestamp initiated_by organization application client_ip useragent geoip idp_initiated service @version',
  systems:
    'timestamp system_timestamp id event_type organization system message client_ip src_ip username process_name success provider resource changes initiated_by service app_management_source windows_meta @version',
}
/** Fields that the service records in addition. */
const OURS: Record<string, string> = { sso: 'success mfa error_message sso_token_success' }
const STRING_VERSION = new Set(['access_management', 'password_vault', 'reports'])
const NO_VERSION = new Set(['alert', 'notifications'])

interface Row {
  timestamp: string
  id: string
  service: string
  document: string
}

const now = Date.now()
const dataDir = tempDirectory()
const app = await startApp({ alone: true })
const lines: string[] = []
const options = {
  baseUrl: 'http://localhost:8080',
  dataDir,
  now,
  progress: (line: string) => lines.push(line),
}
const file = join(dataDir, 'demo-credentials.json')

const eventsOf = (tenantId: string) =>
  app.db
    .tenant(tenantId)
    .many<Row>(sql`select timestamp, id, service, document from events order by timestamp, id`)

assert.equal(await loadDemo(app, options), 'loaded')
const credentials: DemoCredentials = JSON.parse(readFileSync(file, 'utf8'))
for (const { apiKey, password } of credentials.administrators) app.secrets.add(apiKey).add(password)
for (const { password } of credentials.users) if (password) app.secrets.add(password)
const tenants = [credentials.provider, ...credentials.organizations].map(({ id }) => id)
const keyOf = (role: string) =>
  credentials.administrators.find((admin) => admin.role === role)!.apiKey

test('the demo is a provider with two organizations and a standalone one', () => {
  assert.deepEqual(
    credentials.organizations.map(({ singleTenant }) => singleTenant),
    [false, false, true],
  )
  const alone = credentials.organizations[2]!.id
  assert.deepEqual(
    credentials.administrators.map(({ role, organizationId, providerId }) => [
      role,
      organizationId,
      providerId,
    ]),
    [
      ['Administrator', alone, null],
      ['Read Only', alone, null],
      ['Command Runner', alone, null],
      ['Help Desk', alone, null],
      ['Administrator with Billing', null, credentials.provider.id],
      ['Administrator', null, credentials.provider.id],
    ],
  )
  assert.equal(credentials.baseUrl, 'http://localhost:8080/api')
  assert.equal(credentials.insightsUrl, 'http://localhost:8080')
})

test('there are two hundred users, in every state, all but three with a manager', async () => {
  assert.equal(credentials.users.length, 200)
  assert.deepEqual([...new Set(credentials.users.map(({ state }) => state))].sort(), [
    'ACTIVATED',
    'STAGED',
    'SUSPENDED',
  ])
  const administrator = app.as(keyOf('Administrator'))
  const alone = credentials.organizations[2]!.id
  const list = (await administrator.get('/api/systemusers?limit=1000')).json()
  const theirs = credentials.users.filter(({ organizationId }) => organizationId === alone)
  assert.equal(list.totalCount, theirs.length)
  const heads = list.results.filter(({ manager }: { manager: string | null }) => manager === null)
  assert.equal(heads.length, 1)
  for (const { id, state, password } of theirs) {
    const found = list.results.find((user: { id: string }) => user.id === id)
    assert.equal(found.state, state)
    assert.equal(found.activated, password !== '')
  }
})

test('a password in the file signs in to the account', async () => {
  const { organizationId, username, password } = credentials.users[0]!
  const row = await findUserByLogin(app.db.tenant(organizationId), organizationId, username)
  assert.equal(await checkPassword(row!.password_hash, password), true)
})

test('only its owner can read the credentials file', () => {
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('there is a month of events, with the fields of the specification', async () => {
  let total = 0
  const services = new Set<string>()
  for (const tenantId of tenants) {
    const rows = await eventsOf(tenantId)
    assert.ok(rows.length > 100, `${tenantId} has ${rows.length} events`)
    total += rows.length
    for (const { timestamp, service, document } of rows) {
      services.add(service)
      const event = JSON.parse(document) as Record<string, unknown>
      const where = `${service} ${document}`
      const listed = new Set(`${FIELDS[service]} ${OURS[service] ?? ''}`.split(' '))
      const unlisted = Object.keys(event).filter((name) => !listed.has(name))
      assert.deepEqual(unlisted, [], where)
      assert.equal(event.timestamp, timestamp, where)
      assert.equal(event.service, service === 'notifications' ? undefined : service, where)
      const version = NO_VERSION.has(service) ? undefined : STRING_VERSION.has(service) ? '1' : 1
      assert.equal(event['@version'], version, where)
      assert.equal('id' in event, service !== 'ldap', where)
    }
  }
  assert.ok(total > 10_000 && total < 14_000, `${total} events`)
  assert.deepEqual([...services].sort(), Object.keys(FIELDS))
})

test('every event is in the last 30 days and names its tenant', async () => {
  for (const tenantId of tenants) {
    for (const { timestamp, document } of await eventsOf(tenantId)) {
      // The load seeds administrators just after `now`.
      const at = Date.parse(timestamp)
      assert.ok(at > now - 30 * DAY && at <= Date.now(), timestamp)
      const { organization, provider } = JSON.parse(document)
      if (tenantId === credentials.provider.id) assert.equal(provider, tenantId)
      else assert.equal(organization, tenantId)
    }
  }
})

const documentsOf = async (tenantId: string) =>
  (await eventsOf(tenantId)).map(({ service, document }) => ({
    service: service as Service,
    document: JSON.parse(document) as Record<string, unknown> & { event_type: string },
  }))

test('GET /schema lists every member of every event', async () => {
  const unlisted = new Set<string>()
  for (const tenantId of tenants)
    for (const { service, document } of await documentsOf(tenantId))
      for (const member of unlistedMembers(service, document))
        unlisted.add(`${service} ${document.event_type}: ${member}`)
  assert.deepEqual([...unlisted], [])
})

test('events have the same members as those that the service records', async () => {
  const demo = Map.groupBy(
    (await Promise.all(tenants.map(documentsOf)))
      .flat()
      .map(({ document }) => document)
      // Events of the service itself have no user agent.
      .filter(
        ({ initiated_by }) => (initiated_by as { type: string } | undefined)?.type !== 'system',
      ),
    ({ event_type }) => event_type,
  )
  const own = Map.groupBy(await ownEvents(app), ({ event_type }) => event_type)
  const shared = [...own.keys()].filter((type) => demo.has(type))
  for (const type of ['sso_auth', 'user_login_attempt', 'admin_login_attempt', 'user_login'])
    assert.ok(shared.includes(type), type)
  assert.ok(shared.length >= 16, shared.join(' '))
  const lacking = new Set<string>()
  for (const type of shared) {
    // The members common to all; others depend on the outcome.
    const [first, ...others] = own.get(type)!
    const members = Object.keys(first!).filter((name) => others.every((event) => name in event))
    for (const event of demo.get(type)!)
      for (const name of members) if (!(name in event)) lacking.add(`${type}: ${name}`)
  }
  assert.deepEqual([...lacking], [])
})

test('values are folded as in events of the service', async () => {
  const [first] = (await eventsOf(credentials.organizations[2]!.id)).filter(
    ({ service }) => service === 'sso',
  )
  const { geoip, application } = JSON.parse(first!.document)
  assert.equal(geoip.country_code, geoip.country_code.toLowerCase())
  assert.equal(application.display_label, application.display_label.toLowerCase())
})

test('the keys in the file have the permissions of their roles', async () => {
  const alone = credentials.organizations[2]!.id
  const administrator = app.as(keyOf('Administrator'))
  assert.equal((await administrator.get('/api/organizations')).statusCode, 200)
  assert.equal((await administrator.get(`/api/organizations/${alone}`)).statusCode, 200)
  const reader = app.as(keyOf('Read Only'))
  const settings = { settings: { name: 'Other' } }
  assert.equal((await reader.put(`/api/organizations/${alone}`, settings)).statusCode, 403)
  const runner = app.as(keyOf('Command Runner'))
  assert.equal((await runner.get('/insights/directory/v1/retention')).statusCode, 403)
  const helper = app.as(keyOf('Help Desk'))
  assert.equal((await helper.get(`/api/organizations/${alone}`)).statusCode, 200)
})

test('forty systems have their own keys, and the eligible ones can sign requests', async () => {
  const { systems } = credentials
  assert.equal(systems.length, 40)
  const alone = credentials.organizations[2]!.id
  const administrator = app.as(keyOf('Administrator'))
  assert.equal((await administrator.get('/api/systems')).json().totalCount, 20)
  const messages = new Set<string>()
  for (const { id, privateKeyPath, os, eligible, organizationId } of systems) {
    const file = join(dataDir, privateKeyPath)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.ok(!eligible || os === 'linux')
    const call = signedCaller(app.http, id, readFileSync(file, 'utf8'))
    const res = await call('GET', `/api/systems/${id}`)
    assert.equal(res.statusCode, eligible ? 200 : 401, `${os} ${id}`)
    if (eligible) assert.equal(res.json().organization, organizationId)
    else messages.add(res.json().message)
  }
  assert.equal(messages.size, 3, [...messages].join())
  for (const { id } of credentials.organizations)
    assert.ok(systems.some((system) => system.organizationId === id && system.eligible))
  const ownersDevice = systems.find((system) => system.organizationId === alone)!.id
  const users = (await administrator.get(`/api/v2/systems/${ownersDevice}/users`)).json()
  assert.ok(users.length >= 1)
})

test('twelve user groups and the system groups have members, rules and associations', async () => {
  const administrator = app.as(keyOf('Administrator'))
  const groups = (await administrator.get('/api/v2/groups')).json()
  assert.equal(groups.length, 6)
  for (const { id, type } of groups) {
    const path = type === 'user_group' ? 'usergroups' : 'systemgroups'
    const members = await administrator.get(`/api/v2/${path}/${id}/members`)
    assert.ok(Number(members.headers['x-total-count']) > 0)
    // The seeded members agree with the rules.
    const { membershipMethod } = (await administrator.get(`/api/v2/${path}/${id}`)).json()
    if (membershipMethod === 'STATIC') continue
    const preview = (await administrator.post(`/api/v2/${path}/${id}/preview`, {})).json()
    const expected = membershipMethod === 'DYNAMIC_AUTOMATED' ? 0 : 1
    assert.deepEqual([preview.add.total, preview.remove.total], [expected, 0])
  }
  const linux = groups.find(({ type }: { type: string }) => type === 'system_group')
  const people = (await administrator.get(`/api/v2/systemgroups/${linux.id}/users`)).json()
  assert.equal(people[0].compiledAttributes.sudo.enabled, true)
  const all = await Promise.all(
    credentials.organizations.map(({ id }) =>
      app.db
        .tenant(id)
        .one<{ count: number }>(
          sql`select count(*) as count from groups where type = 'user_group'`,
        ),
    ),
  )
  assert.equal(
    all.reduce((sum, row) => sum + row!.count, 0),
    12,
  )
})

test('there are commands bound to systems, with results', async () => {
  const administrator = app.as(keyOf('Administrator'))
  const commands = (await administrator.get('/api/commands')).json().results
  assert.equal(commands.length, 3)
  for (const { id } of commands) {
    assert.ok((await administrator.get(`/api/v2/commands/${id}/systems`)).json().length > 0)
    assert.ok((await administrator.get(`/api/commands/${id}/results`)).json().length > 0)
  }
})

test('six applications are bound to the departments, and lead to the test service provider', async () => {
  assert.equal(credentials.applications.length, 6)
  for (const { organizationId, id, slug } of credentials.applications) {
    const found = await findSsoApplication(app, slug)
    assert.deepEqual([found?.organizationId, found?.id, found?.active], [organizationId, id, true])
    assert.equal(found!.config.defaultAcs?.url, 'http://localhost:8080/saml2/test-sp/acs')
  }
  const administrator = app.as(keyOf('Administrator'))
  const applications = (await administrator.get('/api/applications')).json()
  assert.equal(applications.totalCount, 3)
  for (const { id } of applications.results) {
    const users = await administrator.get(`/api/v2/applications/${id}/users?limit=1`)
    assert.ok(Number(users.headers['x-total-count']) > 50)
  }
})

test('the provider administrator must name one of the two organizations', async () => {
  const provider = app.as(keyOf('Administrator with Billing'))
  const list = (await provider.get('/api/organizations')).json()
  assert.equal(list.totalCount, 2)
  assert.equal((await provider.get('/api/v2/roles')).statusCode, 401)
  for (const { id, singleTenant } of credentials.organizations) {
    const answer = await provider.get('/api/v2/roles', { 'x-org-id': id })
    assert.equal(answer.statusCode, singleTenant ? 404 : 200)
  }
})

test('a second load changes nothing, and says so when the credentials file is gone', async () => {
  const count = async () => (await Promise.all(tenants.map(eventsOf))).flat().length
  const before = await count()
  const text = readFileSync(file, 'utf8')
  lines.length = 0
  assert.equal(await loadDemo(app, options), 'already there')
  assert.equal(await count(), before)
  assert.equal(readFileSync(file, 'utf8'), text)
  assert.deepEqual(lines, [])

  rmSync(file)
  assert.equal(await loadDemo(app, options), 'already there')
  assert.match(lines.join(' '), /credentials file is gone/)
})

test('an interrupted load leaves nothing behind', async () => {
  const other = await startApp({ alone: true })
  const dataDir = tempDirectory()
  const breakOff = (line: string) => {
    if (line.startsWith('Events')) throw new Error('pulled the plug')
  }
  await assert.rejects(loadDemo(other, { ...options, dataDir, progress: breakOff }), /plug/)
  const { left } = (await other.db.one<{ left: number }>(
    sql`select (select count(*) from organizations) + (select count(*) from administrators) as left`,
  ))!
  assert.equal(left, 0)
  assert.ok(!existsSync(join(dataDir, 'demo-credentials.json')))
  assert.equal(await loadDemo(other, { ...options, dataDir }), 'loaded')
})

test('concurrent loads leave one set of data, the same in every installation', async () => {
  const other = await startApp({ alone: true })
  const directories = [tempDirectory(), tempDirectory()]
  const results = await Promise.all(
    directories.map((dataDir) => loadDemo(other, { ...options, dataDir })),
  )
  assert.deepEqual(results.sort(), ['already there', 'loaded'])
  // Administrators get random ids and secrets; everything else comes from the seed.
  const seeded = (rows: Row[]) =>
    rows.filter(({ document }) => !document.includes('"admin')).map(({ document }) => document)
  for (const tenantId of tenants) {
    const there = await other.db
      .tenant(tenantId)
      .many<Row>(sql`select timestamp, id, service, document from events order by timestamp, id`)
    assert.deepEqual(seeded(there), seeded(await eventsOf(tenantId)))
  }
})

/** As `serve` mounts it: at the same address after each start, and empty. */
async function startLab(port = 0) {
  const lab = await createDemoLab()
  const http = fastify({ forceCloseConnections: true })
  await http.register(lab.routes, { prefix: '/lab' })
  const address = await http.listen({ port, host: '127.0.0.1' })
  await lab.connect(app.contexts.provisioning, `${address}/lab`)
  await app.runDueProvisioning()
  return { ...lab, http, port: Number(new URL(address).port) }
}

test('an application has its users at the SCIM provider, again after a restart', async () => {
  const administrator = app.as(keyOf('Administrator'))
  const alone = credentials.organizations[2]!.id
  const { id } = credentials.applications.find(({ organizationId }) => organizationId === alone)!
  const bound = (await administrator.get(`/api/v2/applications/${id}/users?limit=100`)).json()
  const ids = new Set(bound.map((user: { id: string }) => user.id))
  const expected = credentials.users
    .filter((user) => ids.has(user.id) && user.state === 'ACTIVATED')
    .map(({ username }) => username)
  const held = ({ users }: Awaited<ReturnType<typeof startLab>>['store']) =>
    [...users.values()].map(({ userName }) => String(userName))

  const first = await startLab()
  assert.deepEqual(held(first.store).sort(), expected.sort())
  assert.equal(first.store.groups.size, 5)
  await first.http.close()

  const second = await startLab(first.port)
  assert.deepEqual(held(second.store).sort(), expected)
  const path = `/api/v2/applications/${id}/provisioning`
  assert.equal(
    (await administrator.get(`${path}/status`)).json().reconciliation.missing,
    expected.length,
  )
  assert.equal((await administrator.post(`${path}/deactivate`)).statusCode, 200)
  await second.http.close()

  const third = await startLab(first.port)
  assert.deepEqual(held(third.store), [], 'deactivated by the administrator')
  await third.http.close()
})

test('an application has a plan and an import in its history, also after a restart', async () => {
  const administrator = app.as(keyOf('Administrator'))
  const alone = credentials.organizations[2]!.id
  const { id } = credentials.applications.findLast(
    ({ organizationId }) => organizationId === alone,
  )!
  const path = `/api/v2/applications/${id}/import`
  const count = async () => (await administrator.get('/api/systemusers?limit=1')).json().totalCount
  const users = await count()
  for (const _ of ['first', 'second']) {
    const { http, port } = await startLab()
    await connectPeople(app.contexts.imports, `http://127.0.0.1:${port}/lab`)
    // A worker that took the plan from the queue would run it beside the start, which could not go on then.
    const planned = sql`select 1 from pgboss.job j join batches b on b.id = j.data ->> 'jobId'
      where b.organization_id = ${alone} and (b.input -> 'dryRun')::boolean`
    assert.deepEqual(await app.db.tenant(alone).many(planned), [])
    await app.runDueJobs()
    await http.close()
    const { source } = (await administrator.get(`${path}/config`)).json()
    assert.equal(source.baseUrl, `http://127.0.0.1:${port}/lab`)
    const [done, plan, ...more] = (await administrator.get(`${path}/jobs`)).json()
    assert.deepEqual([done.status, done.planned.update, done.failed], ['finished', 20, 0])
    assert.deepEqual([plan.dryRun, plan.status, plan.planned.create], [true, 'finished', 2])
    assert.deepEqual(more, [])
  }
  assert.equal(await count(), users, 'the joiners are only planned')
})
