import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addNode, NODE_TYPES, type NodeType } from '../server/graph/index.ts'
import { insertWorkday } from '../server/imports/workday/store.ts'
import type { Operation } from '../server/platform/http/openapi.ts'
import { newId } from '../server/platform/ids.ts'
import { enrol, newKeyPair, signedCaller } from './enrol.ts'
import { type caller, startApp } from './harness.ts'
import { addUser, person } from './people.ts'

// Every operation on one record, of every slice, called by an administrator of another organization. New routes are
// covered automatically.

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>
const { publicKey, privateKey } = newKeyPair()

/** One record of each type, by the names of path parameters. */
async function furnish(org: Org): Promise<Record<string, string>> {
  const { organizationId } = org
  const made = async (url: string, body: object) => {
    const res = await org.post(url, body)
    assert.ok(res.statusCode < 300, `${url}: ${res.body}`)
    return res.json()
  }
  const user = (await addUser(org)).id
  const system = await enrol(app.http, org, publicKey)
  const trigger = `deploy-${newId()}`
  const command = (
    await made('/api/commands', { name: 'Deploy', command: 'true', launchType: 'trigger', trigger })
  ).id
  const run = await made('/api/runCommand', { _id: command, systemIds: [system] })
  const signed = signedCaller(app.http, system, privateKey)
  const answer = { exitCode: 0, output: '', error: '' }
  await signed('POST', `/agent/v1/commands/${run.queueIds[0]}/result`, answer)
  const waiting = await made('/api/runCommand', { _id: command, systemIds: [system] })
  const key = { name: 'key', public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLE' }
  const group = (await made('/api/v2/usergroups', { name: 'People' })).id
  const machines = (await made('/api/v2/systemgroups', { name: 'Machines' })).id
  const application = await made('/api/applications', {
    name: 'saml2',
    active: true,
    displayLabel: 'Wiki',
    displayName: 'Wiki',
    ssoUrl: newId(),
    config: {
      acsUrl: { value: 'https://wiki.example.com/acs' },
      spEntityId: { value: 'https://wiki.example.com' },
    },
  })
  const connected = await org.put(`/api/v2/applications/${application.id}/provisioning`, SCIM)
  assert.equal(connected.statusCode, 200, connected.body)
  const imports = `/api/v2/applications/${application.id}/import`
  for (const [path, body] of [
    ['config', FILE],
    ['file', [{ username: 'imported', email: 'imported@example.com' }]],
  ] as const) {
    const res = await org.put(`${imports}/${path}`, body)
    assert.ok(res.statusCode < 300, res.body)
  }
  const importJob = (await made(`${imports}/jobs`, { operations: ['users.create'], dryRun: true }))
    ._id
  await made('/insights/directory/v1/reports/os-version', {})
  await app.runDueJobs()
  const [report] = (await org.get('/insights/directory/v1/reports')).json()
  const planned = { user_ids: [user], state: 'SUSPENDED', start_date: '2999-01-01T00:00:00Z' }
  const nodes: Partial<Record<NodeType, string>> = {
    user,
    system,
    command,
    user_group: group,
    system_group: machines,
    application: application.id,
  }
  for (const type of NODE_TYPES) {
    if (nodes[type]) continue
    const id = newId()
    nodes[type] = id
    await app.db.tx(organizationId, (tx) => addNode(tx, organizationId, type, id))
  }
  // Not through the API, which would try the report.
  const workday = { id: newId(), name: 'Workday Import', report_url: REPORT, secret: null }
  await app.db.tx(organizationId, (tx) => insertWorkday(tx, organizationId, workday))
  return {
    ...nodes,
    workday: workday.id,
    import: (await made(`/api/v2/workdays/${workday.id}/import`, [person()])).jobId,
    trigger,
    importJob,
    report: report.id,
    artifact: report.artifacts[0].id,
    workflow: waiting.workflowInstanceId,
    result: run.queueIds[0],
    sshKey: (await made(`/api/systemusers/${user}/sshkeys`, key)).id,
    job: (await made('/api/v2/bulk/users', [person()])).jobId,
    planned: (await made('/api/v2/bulk/userstates', planned))[0].scheduledJobId,
  }
}

/** The meaning of path parameters in each area; the first match counts. */
const PARAMETERS: [RegExp, Record<string, string>][] = [
  [/^\/api\/systemusers\/\{systemuser_id\}/, { systemuser_id: 'user', id: 'sshKey' }],
  [/^\/api\/systemusers\//, { id: 'user' }],
  [/^\/api\/systems\//, { id: 'system', system_id: 'system' }],
  [/^\/api\/(files\/)?commands?\/\{id\}/, { id: 'command' }],
  [/^\/api\/command\/trigger\//, { triggername: 'trigger' }],
  [/^\/api\/commandresults\//, { id: 'result' }],
  [/^\/api\/applications\//, { id: 'application' }],
  [/^\/api\/v2\/users\//, { user_id: 'user', push_endpoint_id: 'user', session_id: 'user' }],
  [/^\/api\/v2\/usergroups\//, { id: 'user_group', group_id: 'user_group' }],
  [/^\/api\/v2\/systems\//, { system_id: 'system' }],
  [/^\/api\/v2\/systemgroups\//, { id: 'system_group', group_id: 'system_group' }],
  [/^\/api\/v2\/commands\//, { command_id: 'command', workflow_instance_id: 'workflow' }],
  [/^\/api\/v2\/commandqueue\//, { workflow_instance_id: 'workflow' }],
  [
    /^\/api\/v2\/applications\//,
    {
      application_id: 'application',
      user_id: 'user',
      group_id: 'user_group',
      job_id: 'importJob',
    },
  ],
  [/^\/api\/v2\/bulk\/users\//, { job_id: 'job' }],
  [/^\/api\/v2\/jobs\//, { id: 'job' }],
  [/^\/api\/v2\/bulk\/userstates\//, { id: 'planned' }],
  [/^\/api\/v2\/workdays\//, { id: 'workday', workday_id: 'workday', job_id: 'import' }],
  [/^\/api\/v2\/policies\//, { policy_id: 'policy' }],
  [/^\/api\/v2\/policygroups\//, { group_id: 'policy_group' }],
  [/^\/api\/v2\/softwareapps\//, { software_app_id: 'software_app' }],
  [/^\/api\/v2\/activedirectories\//, { activedirectory_id: 'active_directory' }],
  [/^\/api\/v2\/gsuites\//, { gsuite_id: 'g_suite' }],
  [/^\/api\/v2\/office365s\//, { office365_id: 'office_365' }],
  [/^\/api\/v2\/ldapservers\//, { ldapserver_id: 'ldap_server' }],
  [/^\/api\/v2\/radiusservers\//, { radiusserver_id: 'radius_server' }],
  [
    /^\/insights\/directory\/v1\/reports\/\{report_id\}/,
    { report_id: 'report', artifact_id: 'artifact' },
  ],
]

const STRONG = 'Tangled-Orchard-58'
app.secrets.add(STRONG)

/** A public address, to which nothing is ever sent here. */
const SCIM = { baseUrl: 'https://8.8.8.8/scim', auth: { type: 'bearer', token: STRONG } }

const REPORT = 'https://8.8.8.8/report'
const FILE = { source: { kind: 'file', format: 'json' } }

/** Bodies that are valid enough to reach the record. */
const BODIES: [RegExp, object][] = [
  [/^(PUT|PATCH) .*groups\/\{id\}$/, { name: 'Taken over' }],
  [/^PUT \/api\/commands\//, { name: 'Taken over', command: 'true' }],
  [
    /^PUT \/api\/applications\//,
    {
      name: 'saml2',
      displayLabel: 'Taken over',
      displayName: 'Taken over',
      ssoUrl: newId(),
      config: {
        acsUrl: { value: 'https://evil.example.com/acs' },
        spEntityId: { value: 'https://evil.example.com' },
      },
    },
  ],
  [
    /applications\/\{application_id\}\/sso$/,
    { oidc: { redirectUris: ['https://evil.example.com/callback'] } },
  ],
  [/^PUT .*\/provisioning$/, SCIM],
  [/\/provisioning\/preview$/, { userId: newId() }],
  [/^PUT .*\/workdays\//, { reportUrl: REPORT }],
  [/\/workdays\/.*\/auth$/, { auth: { basic: { username: 'me', password: STRONG } } }],
  [/\/workdays\/.*\/import$/, [person()]],
  [/^PUT .*\/import\/config$/, FILE],
  [/\/import\/jobs$/, { operations: ['users.create'] }],
  [/\/sshkeys$/, { name: 'mine', public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLE' }],
  [/\/password$/, { password: STRONG }],
  [/usergroups\/\{group_id\}\/suggestions$/, { user_ids: [newId()] }],
  [/systemgroups\/\{group_id\}\/suggestions$/, { object_ids: [newId()] }],
  [
    /usergroups\/\{group_id\}\/preview$/,
    {
      memberQuery: {
        queryType: 'Filter',
        filters: [{ field: 'email', operator: 'ne', value: '' }],
      },
    },
  ],
  [
    /systemgroups\/\{group_id\}\/preview$/,
    { memberQuery: { queryType: 'Filter', filters: [{ field: 'os', operator: 'ne', value: '' }] } },
  ],
]

type Things = Record<string, string>

function pathOf({ hostRootPath }: Operation, things: Things): string | null {
  const names = PARAMETERS.find(([path]) => path.test(hostRootPath))?.[1]
  if (!names) return null
  return hostRootPath.replace(/\{(\w+)\}/g, (_, name: string) => {
    const thing = things[names[name] ?? '']
    assert.ok(thing, `${hostRootPath}: what is ${name}?`)
    return thing
  })
}

const typesOf = ({ schema }: Operation): string[] =>
  (schema.body as { properties: { type: { enum: string[] } } }).properties.type.enum

/** A type that this list of associations supports, from the operation that changes it. */
const targetOf = ({ hostRootPath }: Operation): string =>
  typesOf(
    app.operations.find((other) => other.method === 'POST' && other.hostRootPath === hostRootPath)!,
  )[0]!

function bodyOf(operation: Operation, things: Things): object {
  const { method, hostRootPath } = operation
  if (/\/(members|associations)$/.test(hostRootPath)) {
    const type = typesOf(operation)[0]!
    return { op: 'add', type, id: things[type] }
  }
  return BODIES.find(([path]) => path.test(`${method} ${hostRootPath}`))?.[1] ?? {}
}

const call = (org: Org, { method }: Operation, path: string, body?: object) => {
  const verb = method.toLowerCase() as keyof ReturnType<typeof caller>
  return verb === 'get' ? org.get(path) : org[verb](path, body)
}

const about = (suffix: RegExp): Operation[] =>
  app.operations.filter(({ hostRootPath }) => suffix.test(hostRootPath))

test('a record of another organization cannot be read or changed', async () => {
  const [owner, stranger] = [await app.newOrganization(), await app.newOrganization()]
  const things = await furnish(owner)
  const events = (await owner.eventTypes()).length
  let asked = 0
  for (const operation of about(/\{/)) {
    const path = pathOf(operation, things)
    if (path === null) continue
    const { method, hostRootPath } = operation
    const listed = method === 'GET' && path.endsWith('/associations')
    const target = listed ? `${path}?targets=${targetOf(operation)}` : path
    const body = method === 'GET' || method === 'DELETE' ? undefined : bodyOf(operation, things)
    const res = await call(stranger, operation, target, body)
    const where = `${method} ${hostRootPath}: ${res.statusCode} ${res.body}`
    // As published: an unknown user has no groups, and an unknown group is a bad argument.
    if (hostRootPath.endsWith('/memberof')) assert.equal(res.body, '[]', where)
    else if (method === 'POST' && hostRootPath.endsWith('/members'))
      assert.match(res.json().message, /_group not found/, where)
    else assert.equal(res.statusCode, 404, where)
    asked++
  }
  assert.ok(asked > 100, `${asked} operations`)
  assert.equal((await owner.eventTypes()).length, events)
  assert.deepEqual(await stranger.eventTypes(), [])
})

test('records of different organizations cannot be bound', async () => {
  const [one, other] = [await app.newOrganization(), await app.newOrganization()]
  const [own, foreign] = [await furnish(one), await furnish(other)]
  const events = (await other.eventTypes()).length
  let tried = 0
  for (const operation of about(/\/(associations|members)$/)) {
    if (operation.method !== 'POST') continue
    const path = pathOf(operation, own)!
    for (const type of typesOf(operation)) {
      const res = await one.post(path, { op: 'add', type, id: foreign[type] })
      assert.equal(res.statusCode, 404, `${path} ${type}: ${res.body}`)
      tried++
    }
  }
  assert.ok(tried > 50, `${tried} pairs`)
  assert.equal((await other.eventTypes()).length, events)
})

test('no record can reference one of another organization', async () => {
  const [one, other] = [await app.newOrganization(), await app.newOrganization()]
  const [own, foreign] = [await furnish(one), await furnish(other)]
  const { user, system, user_group: group } = foreign
  const rule = { queryType: 'Filter', filters: [{ field: 'email', operator: 'ne', value: '' }] }
  const dynamic = { name: 'Rule', membershipMethod: 'DYNAMIC_AUTOMATED', memberQuery: rule }
  const attempts: [string, Promise<{ statusCode: number; body: string }>][] = [
    ['manager', one.put(`/api/systemusers/${own.user}`, { manager: user })],
    ['manager', one.post('/api/systemusers', person({ manager: user }))],
    [
      'primarySystemUser',
      one.put(`/api/systems/${own.system}`, { primarySystemUser: { id: user } }),
    ],
    ['user', one.post('/api/commands', { name: 'x', command: 'x', user })],
    ['systemIds', one.post('/api/runCommand', { _id: own.command, systemIds: [system] })],
    [
      'systemGroups',
      one.post('/api/runCommand', { _id: own.command, systemGroups: [foreign.system_group] }),
    ],
    [
      'memberQueryExemptions',
      one.post('/api/v2/usergroups', {
        ...dynamic,
        memberQueryExemptions: [{ type: 'user', id: user }],
      }),
    ],
    [
      'user_ids',
      one.post('/api/v2/bulk/userstates', {
        user_ids: [user],
        state: 'SUSPENDED',
        start_date: '2999-01-01T00:00:00Z',
      }),
    ],
    ['user', one.get(`/api/v2/access/explain?user=${user}&application=${own.application}`)],
    [
      'application',
      one.get(`/api/v2/access/explain?user=${own.user}&application=${foreign.application}`),
    ],
  ]
  for (const [field, attempt] of attempts) {
    const { statusCode, body } = await attempt
    assert.ok([400, 404].includes(statusCode), `${field}: ${statusCode} ${body}`)
    assert.match(body, new RegExp(field))
  }
  const cascade = await one.delete(`/api/systemusers/${own.user}?cascade_manager=${user}`)
  assert.equal(cascade.statusCode, 200, 'nobody reports to this user')
  await one.patch('/api/v2/bulk/users', [{ id: user, firstname: 'Taken over' }])
  await app.runDueJobs()
  assert.equal((await other.get(`/api/systemusers/${user}`)).json().firstname, '')
  const rules = (await one.post('/api/v2/usergroups', dynamic)).json().id
  await app.runDueJobs()
  const members = (await one.get(`/api/v2/usergroups/${rules}/members`)).body
  assert.ok(!members.includes(user!) && !members.includes(group!))
})

test('a read-only caller changes nothing', async () => {
  const org = await app.newOrganization()
  const things = await furnish(org)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const events = (await org.eventTypes()).length
  const changes = app.operations.filter(
    ({ method, scopes }) =>
      method !== 'GET' && scopes?.length && !scopes.some((scope) => scope.endsWith('.readonly')),
  )
  for (const operation of changes) {
    const path = pathOf(operation, things)
    if (path === null) continue
    const res = await call({ ...org, ...reader }, operation, path, bodyOf(operation, things))
    assert.equal(res.statusCode, 403, `${operation.method} ${operation.hostRootPath}: ${res.body}`)
  }
  assert.equal((await org.eventTypes()).length, events)
})
