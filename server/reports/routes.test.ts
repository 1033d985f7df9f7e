import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { enrol, newKeyPair } from '../../test/enrol.ts'
import { startApp } from '../../test/harness.ts'
import { addUser } from '../../test/people.ts'
import { addNode, insertEdge } from '../graph/index.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { REPORT_TYPES } from './types.ts'

const app = await startApp()
const URL = '/insights/directory/v1/reports'
const { publicKey } = newKeyPair()
type Org = Awaited<ReturnType<typeof app.newOrganization>>
interface Listed {
  id: string
  type: string
  status: string
  artifacts: { id: string; format: string }[]
  [member: string]: unknown
}

const list = async (org: Pick<Org, 'get'>, query = ''): Promise<Listed[]> => {
  const res = await org.get(`${URL}${query}`)
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}

async function made(org: Org, type: string): Promise<Listed> {
  const res = await org.post(`${URL}/${type}`)
  assert.equal(res.statusCode, 202, res.body)
  await app.runDueJobs()
  const report = (await list(org)).find(({ id }) => id === res.json().id)!
  assert.equal(report.status, 'COMPLETED')
  return report
}

const addressOf = ({ id, artifacts }: Listed, format: string) =>
  `${URL}/${id}/artifacts/${artifacts.find((one) => one.format === format)!.id}/content`

/** Rows of both files, which must be equal. */
async function rowsOf(org: Org, type: string): Promise<Record<string, unknown>[]> {
  const report = await made(org, type)
  const json = (await org.get(addressOf(report, 'JSON'))).json()
  const { body } = await org.get(addressOf(report, 'CSV'))
  const program =
    'import csv,io,json,sys; print(json.dumps(list(csv.DictReader(io.StringIO(sys.stdin.buffer.read().decode(),newline=""),strict=True))))'
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: body })
  assert.equal(String(stderr), '')
  const csv = JSON.parse(String(stdout))
  const asText = (value: unknown) =>
    Array.isArray(value) ? value.join('; ') : String(value ?? '').replace(/^([=+\-@])/, "'$1")
  assert.deepEqual(
    csv,
    json.map((row: object) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asText(value)])),
    ),
  )
  return json
}

const group = async (
  org: Org,
  kind: 'usergroups' | 'systemgroups',
  name: string,
  ids: string[],
) => {
  const { id } = (await org.post(`/api/v2/${kind}`, { name })).json()
  const type = kind === 'usergroups' ? 'user' : 'system'
  for (const member of ids) {
    const res = await org.post(`/api/v2/${kind}/${id}/members`, { op: 'add', type, id: member })
    assert.equal(res.statusCode, 204, res.body)
  }
  return id as string
}
const bind = async (org: Org, from: string, type: string, id: string) => {
  const res = await org.post(`/api/v2/${from}/associations`, { op: 'add', type, id })
  assert.equal(res.statusCode, 204, res.body)
}

test('a report is accepted, listed, generated and downloaded', async () => {
  const org = await app.newOrganization()
  const user = await addUser(org, { firstname: 'Mei', lastname: '=cmd()' })
  const res = await org.post(`${URL}/users-to-user-groups`)
  assert.equal(res.statusCode, 202)
  const { id, created_at, updated_at, expiration, ...rest } = res.json()
  assert.deepEqual(rest, {
    type: 'users-to-user-groups',
    status: 'PENDING',
    requester_id: org.adminId,
    requester_email: org.email,
    parameters: [],
    artifacts: [],
  })
  assert.equal(created_at, updated_at)
  assert.equal(Date.parse(expiration) - Date.parse(created_at) > 29 * 86_400_000, true)
  assert.deepEqual(await list(org), [res.json()])

  await app.runDueJobs()
  const [report] = await list(org)
  assert.equal(report!.status, 'COMPLETED')
  assert.deepEqual(
    report!.artifacts.map(({ format }) => format),
    ['CSV', 'JSON'],
  )
  const csv = await org.get(addressOf(report!, 'CSV'))
  assert.equal(csv.statusCode, 200)
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
  assert.match(
    String(csv.headers['content-disposition']),
    /^attachment; filename="users-to-user-groups-\d{8}T\d{6}Z\.csv"$/,
  )
  assert.match(csv.body, new RegExp(`^user_object_id,.*\r\n${user.id},.*,Mei,'=cmd\\(\\),`))
  const json = await org.get(addressOf(report!, 'JSON'), { 'accept-encoding': 'gzip' })
  assert.equal(json.headers['content-type'], 'application/json; charset=utf-8')
  assert.match(String(json.headers['content-disposition']), /\.json"$/)
  assert.equal(JSON.parse(String(gunzipSync(json.rawPayload)))[0].lastname, '=cmd()')

  const events = (await org.events()).filter(({ service }) => service === 'reports')
  assert.deepEqual(
    events.map(({ event_type, resource }) => [event_type, (resource as { id: string }).id]),
    [
      ['report_run', id],
      ['report_export', id],
      ['report_export', id],
    ],
  )
  assert.deepEqual(events[0]!.initiated_by, {
    type: 'admin',
    id: org.adminId,
    email: org.email,
  })
  assert.equal(events[0]!['@version'], '1')
  const found = await org.post('/insights/directory/v1/events', {
    service: ['reports'],
    start_time: created_at,
    search_term: { and: [{ 'resource.name': 'users-to-user-groups' }] },
  })
  assert.equal(found.json().length, 3)
})

test('clients may send an empty body of any content type', async () => {
  const org = await app.newOrganization()
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    const res = await org.post(`${URL}/os-version`, undefined, { 'content-type': type })
    assert.equal(res.statusCode, 202, res.body)
  }
})

/** Ids of the same second are unordered. */
const sorted = (rows: unknown[][]) =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

test('users to user groups: a row per membership, and one per user without any', async () => {
  const org = await app.newOrganization()
  const [ada, bob] = [await addUser(org), await addUser(org)]
  const [first, second] = [
    await group(org, 'usergroups', 'First', [ada.id]),
    await group(org, 'usergroups', 'Second', [ada.id]),
  ]
  const gone = await addUser(org)
  await group(org, 'usergroups', 'Third', [gone.id])
  await org.delete(`/api/systemusers/${gone.id}`)
  const rows = await rowsOf(org, 'users-to-user-groups')
  assert.deepEqual(
    sorted(rows.map((row) => [row.username, row.resource_object_id, row.user_group_name])),
    sorted([
      [ada.username, first, 'First'],
      [ada.username, second, 'Second'],
      [bob.username, null, null],
    ]),
  )
})

test('users to devices: directly and through user or device groups', async () => {
  const org = await app.newOrganization()
  const [ada, bob, cem] = [await addUser(org), await addUser(org), await addUser(org)]
  const system = await enrol(app.http, org, publicKey)
  const people = await group(org, 'usergroups', 'People', [bob.id, ada.id])
  const machines = await group(org, 'systemgroups', 'Machines', [system])
  await bind(org, `users/${ada.id}`, 'system', system)
  await bind(org, `usergroups/${people}`, 'system_group', machines)
  const rows = await rowsOf(org, 'users-to-devices')
  assert.deepEqual(
    sorted(
      rows.map((row) => [
        row.user_object_id,
        row.resource_object_id,
        row.hostname,
        row.device_os,
        row.association_type,
        row.user_groups,
        row.device_groups,
      ]),
    ),
    sorted([
      [ada.id, system, 'web-1', 'linux', 'direct', ['People'], ['Machines']],
      [bob.id, system, 'web-1', 'linux', 'group', ['People'], ['Machines']],
      [cem.id, null, null, null, null, null, null],
    ]),
  )
})

test('users to applications and to directories', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const user = await addUser(org)
  const people = await group(org, 'usergroups', 'People', [user.id])
  const application = await org.post('/api/applications', {
    name: 'saml2',
    displayLabel: 'Wiki',
    displayName: 'Wiki',
    ssoUrl: newId(),
    config: {
      acsUrl: { value: 'https://wiki.example.com/acs' },
      spEntityId: { value: 'https://wiki.example.com' },
    },
  })
  await bind(org, `usergroups/${people}`, 'application', application.json().id)
  const [row, ...more] = await rowsOf(org, 'users-to-sso-applications')
  assert.deepEqual(more, [])
  assert.equal(row!.resource_object_id, application.json().id)
  assert.equal(row!.application_name, 'Wiki')
  assert.equal(row!.association_type, 'group')
  assert.deepEqual(row!.user_groups, ['People'])

  const [none] = await rowsOf(org, 'users-to-directories')
  assert.equal(none!.resource_object_id, null)
  const directory = newId()
  await app.db.tx(organizationId, async (tx) => {
    await addNode(tx, organizationId, 'g_suite', directory)
    const [from, to] = [
      { type: 'user', id: user.id },
      { type: 'g_suite', id: directory },
    ] as const
    await insertEdge(tx, organizationId, from, to, null, null)
  })
  const [bound] = await rowsOf(org, 'users-to-directories')
  assert.equal(bound!.resource_object_id, directory)
  assert.equal(bound!.directory_type, 'g_suite')
  assert.equal(bound!.association_type, 'direct')
})

test('account health lists the issues of each user, without secrets', async () => {
  const org = await app.newOrganization()
  const STRONG = 'Tangled-Orchard-58'
  app.secrets.add(STRONG)
  const well = await addUser(org, { password: STRONG })
  const staged = await addUser(org, { state: 'STAGED' })
  const suspended = await addUser(org)
  await org.put(`/api/systemusers/${suspended.id}`, { suspended: true })
  const rows = await rowsOf(org, 'user-account-health')
  const issues = new Map(rows.map((row) => [row.user_object_id, row.issues]))
  assert.deepEqual(issues.get(well.id), ['no_mfa'])
  assert.deepEqual(issues.get(staged.id), ['staged', 'no_password', 'no_mfa'])
  assert.deepEqual(issues.get(suspended.id), ['suspended', 'no_password', 'no_mfa'])
  assert.doesNotMatch(JSON.stringify(rows), /argon2|hash|secret/)
})

test('os version lists every system', async () => {
  const org = await app.newOrganization()
  const ids = [
    await enrol(app.http, org, publicKey),
    await enrol(app.http, org, newKeyPair().publicKey, { hostname: '-2', version: '13' }),
  ]
  const rows = await rowsOf(org, 'os-version')
  assert.deepEqual(
    rows
      .map((row) => [
        row.resource_object_id,
        row.hostname,
        row.device_os,
        row.os_name,
        row.os_version,
      ])
      .sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1)),
    [
      [ids[1], '-2', 'linux', 'Debian GNU/Linux', '13'],
      [ids[0], 'web-1', 'linux', 'Debian GNU/Linux', '12'],
    ],
  )
})

test('every report type works for an empty organization', async () => {
  const org = await app.newOrganization()
  for (const type of REPORT_TYPES) assert.deepEqual(await rowsOf(org, type), [], type)
})

test('an unknown type is refused with the list of known types', async () => {
  const org = await app.newOrganization()
  const cases: [string, RegExp][] = [
    [
      'nonsense',
      /report_type: unknown type "nonsense"; must be one of os-version, .*users-to-devices/,
    ],
    ['constructor', /report_type: unknown type "constructor"/],
    [
      'software-inventory',
      /report_type: this service has no data for software-inventory; must be one of/,
    ],
    ['browser-patch-policy', /no data/],
    ['os-patch-policy', /no data/],
    ['users-to-ldap-servers', /no data/],
    ['users-to-radius-servers', /no data/],
  ]
  for (const [type, message] of cases) {
    const res = await org.post(`${URL}/${type}`)
    assert.equal(res.statusCode, 400, type)
    assert.match(res.json().message, message)
    assert.equal(res.json().reason, 'unknown_report_type')
  }
  assert.deepEqual(await list(org), [])
  assert.deepEqual(await org.eventTypes(), [])
  const spelled = await org.post(`${URL}/users-account-health`)
  assert.equal(spelled.json().type, 'user-account-health')
})

test('the list is sorted descending, and ascending with a minus', async () => {
  const org = await app.newOrganization()
  const types = ['users-to-devices', 'os-version', 'user-account-health']
  for (const type of types) {
    // A distinct millisecond for each report.
    await app.db.tx(org.organizationId, (tx) =>
      tx.run(sql`update reports set created_at = created_at - interval '1 second'`),
    )
    assert.equal((await org.post(`${URL}/${type}`)).statusCode, 202)
  }
  const order = async (query: string) => (await list(org, query)).map(({ type }) => type)
  assert.deepEqual(await order(''), [...types].reverse())
  assert.deepEqual(await order('?sort=-CREATED_AT'), types)
  assert.deepEqual(await order('?sort=TYPE'), types.toSorted().reverse())
  assert.deepEqual(await order('?sort=-type'), types.toSorted())
  for (const sort of ['EXPIRATION', 'REQUESTER_EMAIL', 'STATUS', 'UPDATED_AT'])
    assert.equal((await order(`?sort=${sort}`)).length, 3)
  assert.deepEqual(await order('?sort=-TYPE&skip=1&limit=1'), [types.toSorted()[1]])
  assert.deepEqual(await order('?skip=99999999999999999999'), [])
  const bad = await org.get(`${URL}?sort=NAME`)
  assert.equal(bad.statusCode, 400)
  assert.match(bad.json().message, /sort: must be one of CREATED_AT, .*UPDATED_AT/)
  assert.equal(bad.json().reason, 'bad_sort')
  assert.equal((await org.get(`${URL}?limit=0`)).statusCode, 400)
  await app.runDueJobs()
})

test('read scopes can read, write scopes can request, and Command Runners can do neither', async () => {
  const org = await app.newOrganization()
  await addUser(org)
  const report = await made(org, 'users-to-devices')
  const content = addressOf(report, 'CSV')
  const as = (role: string) => app.addAdministrator(org.organizationId, role)
  const reader = await as('Read Only')
  assert.equal((await list(reader)).length, 1)
  assert.equal((await reader.get(content)).statusCode, 200)
  assert.equal((await reader.post(`${URL}/os-version`)).statusCode, 403)
  assert.equal((await (await as('Help Desk')).post(`${URL}/os-version`)).statusCode, 403)
  assert.equal((await (await as('Manager')).post(`${URL}/os-version`)).statusCode, 202)
  const runner = await as('Command Runner')
  for (const res of [
    await runner.get(URL),
    await runner.get(content),
    await runner.post(`${URL}/os-version`),
  ])
    assert.equal(res.statusCode, 403)
  assert.equal((await app.anonymous.get(URL)).statusCode, 401)
})

test('a report requires the scopes of the records it shows', async () => {
  const org = await app.newOrganization()
  const content = addressOf(await made(org, 'users-to-devices'), 'JSON')
  const scopes = ['insights', 'users.readonly']
  const key = (await org.post(`/api/users/${org.adminId}/apikey`, { scopes })).json().apiKey
  app.secrets.add(key)
  const narrow = app.as(key)
  const res = await narrow.post(`${URL}/users-to-devices`)
  assert.equal(res.statusCode, 403)
  assert.match(res.json().message, /systems, systems\.readonly/)
  assert.equal((await narrow.get(content)).statusCode, 403)
  assert.equal((await narrow.post(`${URL}/user-account-health`)).statusCode, 202)
})

test('another organization sees no report and no file', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addUser(org)
  const report = await made(org, 'user-account-health')
  assert.deepEqual(await list(other), [])
  assert.equal((await other.get(addressOf(report, 'CSV'))).statusCode, 404)
  const headers = { 'x-org-id': org.organizationId }
  assert.equal((await other.post(`${URL}/os-version`, undefined, headers)).statusCode, 404)
  assert.ok(!JSON.stringify(await rowsOf(other, 'user-account-health')).includes(user.id))
  assert.deepEqual(
    (await org.eventTypes()).filter((type) => type.startsWith('report_')),
    ['report_run'],
  )
})

test('a caller with several organizations must name one', async () => {
  const provider = await app.newProvider(2)
  const [one, two] = provider.organizationIds as [string, string]
  assert.equal((await provider.post(`${URL}/os-version`)).statusCode, 401)
  const headers = { 'x-org-id': one }
  assert.equal((await provider.post(`${URL}/os-version`, undefined, headers)).statusCode, 202)
  assert.equal((await provider.get(URL, headers)).json().length, 1)
  assert.deepEqual((await provider.get(URL, { 'x-org-id': two })).json(), [])
  const malformed = await provider.get(URL, { 'x-org-id': 'x' })
  assert.equal(malformed.statusCode, 400)
  assert.equal(malformed.json().reason, 'org_id_malformed')
})

test('unknown reports and artifacts return 404', async () => {
  const org = await app.newOrganization()
  const { id } = (await org.post(`${URL}/os-version`)).json()
  for (const path of [
    `${id}/artifacts/${newId()}`,
    `${newId()}/artifacts/${newId()}`,
    'x/artifacts/y',
  ])
    assert.equal((await org.get(`${URL}/${path}/content`)).statusCode, 404, path)
  const report = await made(org, 'os-version')
  const other = await made(org, 'os-version')
  const mixed = `${URL}/${other.id}/artifacts/${report.artifacts[0]!.id}/content`
  assert.equal((await org.get(mixed)).statusCode, 404)
})

test('the number of unfinished reports is limited', async () => {
  const org = await app.newOrganization()
  for (let at = 0; at < 20; at++)
    assert.equal((await org.post(`${URL}/os-version`)).statusCode, 202)
  const res = await org.post(`${URL}/os-version`)
  assert.deepEqual([res.statusCode, res.json().reason], [429, 'too_many_reports'])
  assert.equal(res.headers['retry-after'], '10')
  await app.runDueJobs()
  assert.equal((await org.post(`${URL}/os-version`)).statusCode, 202)
})
