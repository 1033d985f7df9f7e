import { after } from 'node:test'
import { startWorkdayLab } from '../../../lab/workday.ts'
import { startPage } from '../../endpoint.ts'
import { enrol, newKeyPair } from '../../enrol.ts'
import type { startListening } from '../../listening.ts'
import { addPerson, Person } from '../../person.ts'
import { ok } from '../../provisioning/world.ts'
import { startReceiver } from '../../receiver.ts'
import { startLab } from '../../scim-lab.ts'
import { startServiceProvider } from '../../sso/service-provider.ts'
import { addApplication, authnRequest, bind, callsOf, type Org, query } from '../../sso/world.ts'

// An organization with something on every page of the console, made through the API.

type App = Awaited<ReturnType<typeof startListening>>

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const STAFF = [
  'First name,Last name,Email,Department,Team',
  'Cleo,Stone,cleo.stone@example.com,Support,Blue',
  'Noor,Haddad,noor.haddad@example.com,Sales,Red',
].join('\n')

const rule = (field: string, value: string) => ({
  queryType: 'FilterQuery',
  filters: [{ field, operator: 'eq', value }],
})

/** The record that a change answers with. */
const made = async (res: Promise<{ statusCode: number; body: string; json(): { id: string } }>) => {
  const { statusCode, body, json } = await res
  if (statusCode >= 300) throw new Error(body)
  return json()
}

async function addPeople(org: Org) {
  const ada = await addPerson(org, {
    firstname: 'Ada',
    lastname: 'Berg',
    department: 'Sales',
    attributes: [{ name: 'badge', value: '7' }],
    phoneNumbers: [{ type: 'work', number: '+1 555 0100' }],
  })
  const ben = await addPerson(org, { firstname: 'Ben', lastname: 'Berg', department: 'Sales' })
  await made(org.put(`/api/systemusers/${ada.id}`, { jobTitle: 'Engineer' }))
  return { ada, ben }
}

async function addGroups(org: Org, { ben }: Awaited<ReturnType<typeof addPeople>>) {
  const attributes = {
    sudo: { enabled: true, withoutPassword: false },
    posixGroups: [{ id: 5100, name: 'operators' }],
    ldapGroups: [{ name: 'ops' }],
    sambaEnabled: true,
    radius: { reply: [{ name: 'Tunnel-Type', value: 'VLAN' }] },
  }
  const group = (body: object) => made(org.post('/api/v2/usergroups', body))
  const memberQuery = rule('department', 'Sales')
  const reviewed = await group({
    name: 'Sellers',
    attributes,
    membershipMethod: 'DYNAMIC_REVIEW_REQUIRED',
    memberQuery,
  })
  const ruled = await group({
    name: 'Everyone in sales',
    membershipMethod: 'DYNAMIC_AUTOMATED',
    memberQuery,
    memberQueryExemptions: [{ id: ben.id, type: 'user' }],
  })
  return { reviewed: reviewed.id, ruled: ruled.id }
}

async function addDevices(app: App, org: Org, ada: string) {
  const device = await enrol(app.http, org, newKeyPair().publicKey)
  const attributes = [
    { name: 'room', value: 'B1' },
    { name: 'rack', value: 'B2' },
  ]
  await made(org.put(`/api/systems/${device}`, { primarySystemUser: { id: ada }, attributes }))
  const { id: group } = await made(
    org.post('/api/v2/systemgroups', {
      name: 'Linux',
      membershipMethod: 'DYNAMIC_AUTOMATED',
      memberQuery: rule('osFamily', 'linux'),
    }),
  )
  const sudo = { enabled: true, withoutPassword: false }
  const user = { op: 'add', type: 'user', id: ada, attributes: { sudo } }
  ok(await org.post(`/api/v2/systemgroups/${group}/associations`, user), 204)
  const { id: command } = await made(
    org.post('/api/commands', {
      name: 'Uptime',
      command: '# how long\nuptime',
      user: ada,
      sudo: true,
      timeToLiveSeconds: 3600,
      listensTo: 'doors',
    }),
  )
  const target = { op: 'add', type: 'system', id: device }
  ok(await org.post(`/api/v2/commands/${command}/associations`, target), 204)
  ok(await org.post('/api/runCommand', { _id: command }))
  const { results } = ok(await org.get('/api/v2/queuedcommand/workflows')).json()
  return { device, deviceGroup: group, command, run: String(results[0].id) }
}

/** An application with single sign-on that works, accounts of which one fails, and an import. */
async function addConnections(app: App, org: Org, people: Awaited<ReturnType<typeof addPeople>>) {
  const { ada, ben } = people
  const { id, url } = await addApplication(org)
  const path = `/api/v2/applications/${id}`
  const sp = await startServiceProvider()
  const metadata = `${await startPage(() => sp.metadata)}/metadata`
  ok(await org.post(`${path}/spmetadata`, { url: metadata, follow: true }))
  await bind(org, id, 'user', ada.id)
  const person = await new Person(app.http).enter(ada.email)
  const request = query(authnRequest({ issuer: `${sp.origin}/metadata` }))
  ok(await callsOf(app).visit(`${url}?${request}`, person.cookie))
  await made(org.post(`${path}/certificates`, {}))
  await sp.read(`${app.base}${url}/metadata`)

  const lab = await startLab()
  app.secrets.add(lab.token)
  lab.addUser(ada.username, { externalId: 'somebody-else', active: true })
  const auth = { type: 'bearer', token: lab.token }
  ok(await org.put(`${path}/provisioning`, { baseUrl: lab.url, auth }))
  ok(await org.post(`${path}/provisioning/activate`))
  await app.runDueProvisioning()
  await made(org.post(`${path}/provisioning/reconcile`, {}))
  await app.runDueProvisioning()
  // Still to be created.
  await bind(org, id, 'user', ben.id)

  ok(await org.put(`${path}/import/config`, { source: { kind: 'file', format: 'csv' } }))
  const type = { 'content-type': 'text/csv' }
  ok(await org.put(`${path}/import/file?name=staff.csv`, STAFF, type), 204)
  const operations = ['users.create', 'users.update']
  const { _id } = ok(await org.post(`${path}/import/jobs`, { operations })).json()

  // Not connected: the provider refuses this token.
  const other = await addApplication(org, {}, { displayLabel: 'Tickets' })
  const wrong = { type: 'bearer', token: 'a wrong one' }
  const refused = `/api/v2/applications/${other.id}/provisioning`
  ok(await org.put(refused, { baseUrl: lab.url, auth: wrong }))
  return { saml: id, job: _id as string, refused: other.id, metadata: sp.metadata }
}

async function addClient(app: App, org: Org) {
  const { id } = await made(
    org.post('/api/applications', { name: 'oidc', displayLabel: 'Board', active: true }),
  )
  const oidc = {
    redirectUris: ['https://board.example.com/in'],
    postLogoutRedirectUris: ['https://board.example.com/bye'],
    backchannelLogoutUri: 'https://board.example.com/out',
    subjectType: 'public',
  }
  const { clientSecret } = ok(await org.post(`/api/v2/applications/${id}/sso`, { oidc })).json()
    .oidc
  app.secrets.add(clientSecret)
  return id
}

async function addWebhook(app: App, org: Org) {
  const receiver = await startReceiver()
  const { id, secret } = ok(
    await org.post('/insights/directory/v1/forwarders', {
      name: 'SIEM',
      url: receiver.url,
      service: ['directory'],
      search_term: { and: [{ event_type: 'role_create' }] },
    }),
    201,
  ).json()
  app.secrets.add(secret)
  const role = { name: 'Auditor', scopes: ['users.readonly'] }
  await made(org.post('/api/v2/roles', role))
  await app.forwarding.runDue()
  return id as string
}

type Report = Awaited<ReturnType<typeof startReport>>

const workdayOf = ({ reportUrl, username }: Report, password: string) => ({
  name: 'Workday Import',
  reportUrl,
  auth: { basic: { username, password } },
})

/** A report of Workday for the file. */
export async function startReport(app: App) {
  const lab = await startWorkdayLab({ workers: 20 })
  after(lab.close)
  app.secrets.add(lab.password)
  return lab
}

export async function furnish(app: App, report: Report) {
  const org = await app.newOrganization()
  const people = await addPeople(org)
  const groups = await addGroups(org, people)
  const devices = await addDevices(app, org, people.ada.id)
  const connections = await addConnections(app, org, people)
  const client = await addClient(app, org)
  const webhook = await addWebhook(app, org)
  await made(
    org.post('/api/v2/service-accounts', {
      name: 'Reporting',
      roleId: '000000000000000000000005',
      authConfig: { authType: 'API_KEY' },
    }),
  )
  const workday = (await made(org.post('/api/v2/workdays', workdayOf(report, report.password)))).id
  // One of them exists when the import runs.
  const workers = ['ada.okafor', people.ada.username].map((username) => ({
    username,
    email: `${username}@lab.example.com`,
  }))
  const imported = ok(await org.post(`/api/v2/workdays/${workday}/import`, workers), 201).json()
  const bulk = [{ username: 'dora', email: 'dora@example.com', state: 'ACTIVATED' }]
  ok(await org.post('/api/v2/bulk/users?holdEmails=true', bulk), 201)
  const signIns = ['de', 'de', 'fr'].map((country_code, at) => ({
    id: `${org.organizationId}-${at}`,
    service: 'directory',
    event_type: 'user_login_attempt',
    timestamp: new Date().toISOString(),
    geoip: { country_code },
  }))
  await made(org.post('/insights/directory/v1/ingest', signIns))
  const settings = {
    logo: PNG,
    systemUserDefaults: { restrictedFields: [{ field: 'jobTitle' }] },
  }
  await made(org.put(`/api/organizations/${org.organizationId}`, { settings }))
  await app.runDueJobs()
  return {
    org,
    ...people,
    ...groups,
    ...devices,
    ...connections,
    client,
    webhook,
    workdayJob: imported.jobId as string,
  }
}

export type Furnished = Awaited<ReturnType<typeof furnish>>

/** A provider whose organizations have little in them. */
export async function furnishProvider(app: App, report: Report) {
  const provider = await app.newProvider(5)
  const [first, empty, refused, closed, deleted] = provider.organizationIds as [
    string,
    string,
    string,
    string,
    string,
  ]
  const within = (id: string) => ({ 'x-org-id': id })
  const post = (url: string, body?: unknown) => provider.post(url, body, within(first))
  await addPerson({ post }, { firstname: 'Ada', lastname: 'Berg' })
  const connect = (id: string, password: string) =>
    made(provider.post('/api/v2/workdays', workdayOf(report, password), within(id)))
  await connect(refused, 'wrong')
  const { id } = await connect(closed, report.password)
  ok(await provider.delete(`/api/v2/workdays/${id}/auth`, undefined, within(closed)), 204)
  const path = `/api/v2/providers/${provider.providerId}/organizations/${deleted}`
  ok(await provider.delete(`${path}?name=Organization ${deleted}`))
  return { provider, organizations: { first, empty, refused, closed, deleted } }
}
