import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { BUILT_IN_ROLES } from '../server/admins/index.ts'
import { ADDRESSES } from '../server/graph/addresses.ts'
import { WRITE_SCOPES } from '../server/graph/rights.ts'
import type { Operation } from '../server/platform/http/openapi.ts'
import { newId } from '../server/platform/ids.ts'
import { signInToConsole } from './console.ts'
import { enrol, newKeyPair, signedCaller } from './enrol.ts'
import { startApp } from './harness.ts'

// Every operation × every role × whose record it is about × with which credential. What is expected follows from what
// the route declares, its scopes and its tenant rule, and from the table of roles; a new route is asked as soon as it
// is there. Nobody is asked about a record that exists, but for peers: whoever is let through finds nothing (404) or
// has sent nothing (400).

const app = await startApp()
const org = await app.newOrganization()
const elsewhere = await app.newOrganization()

/** Stays open for as long as somebody listens. */
const isStream = ({ hostRootPath }: Operation) => hostRootPath.endsWith('/events/stream')
const OPERATIONS = app.operations.filter(({ scopes }) => scopes !== null)
const nameOf = ({ method, hostRootPath }: Operation) => `${method} ${hostRootPath}`
/** A key belongs to one person: nobody makes one for somebody else, whatever they hold. */
const OF_ITS_OWNER = 'POST /api/users/{id}/apikey'

type Table = Record<string, readonly string[]>
const ROLES: Table = Object.fromEntries(BUILT_IN_ROLES.map(({ name, scopes }) => [name, scopes]))
const holdsOne = ({ scopes }: Operation, held: readonly string[]) =>
  scopes!.length === 0 || scopes!.some((scope) => held.includes(scope))

type Headers = Record<string, string>
interface Asked {
  operation: Operation
  role: string
  credential: string
  status: number
  body: string
}

const pathOf = ({ hostRootPath, tenant }: Operation, ids: Headers): string =>
  hostRootPath.replace(/\{(\w+)\}/g, (_, name: string) =>
    tenant === 'path' && name === 'id' ? ids.organization! : (ids[name] ?? newId()),
  )

async function ask(operation: Operation, headers: Headers, ids: Headers, body: object = {}) {
  const { method } = operation
  const { statusCode, body: answer } = await app.http.inject({
    method: method as InjectOptions['method'] & 'GET',
    url: pathOf(operation, ids),
    headers,
    ...(method !== 'GET' && method !== 'DELETE' && { payload: body }),
  })
  return { status: statusCode, body: answer }
}

/** Runs all, a few at a time: the answers of one do not depend on those of another. */
async function askAll(questions: (() => Promise<Asked>)[]): Promise<Asked[]> {
  const answers: Asked[] = []
  const next = questions.values()
  const worker = async () => {
    for (const question of next) answers.push(await question())
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return answers
}

/** Where the answers differ from what the table lets expect of somebody who asks about the own organization. */
function surprises(asked: Asked[], table: Table): string[] {
  return asked
    .filter(({ operation, role, status }) => {
      const admitted = holdsOne(operation, table[role]!) && nameOf(operation) !== OF_ITS_OWNER
      return admitted ? [401, 403].includes(status) || status >= 500 : status !== 403
    })
    .map(
      ({ operation, role, credential, status, body }) =>
        `${nameOf(operation)} by ${credential} of ${role}: ${status} ${body.slice(0, 200)}`,
    )
}

/** Each role by each credential that an organization gives out. */
async function credentialsOf(role: string): Promise<[string, Headers][]> {
  const admin = await app.addAdministrator(org.organizationId, role)
  const session = await signInToConsole(app.http, admin)
  const account = await org.post('/api/v2/service-accounts', {
    name: `Robot ${role}`,
    roleId: BUILT_IN_ROLES.find(({ name }) => name === role)!.id,
    authConfig: { authType: 'API_KEY' },
  })
  const { apiKey } = account.json().serviceAccount.authConfigList[0].apiKeyConfig
  app.secrets.add(apiKey)
  return [
    ['a key', { 'x-api-key': admin.apiKey }],
    ['a session', session.headers],
    ['a service account', { 'x-api-key': apiKey }],
  ]
}
const credentials = new Map<string, [string, Headers][]>()
for (const role of Object.keys(ROLES)) credentials.set(role, await credentialsOf(role))

const own = { organization: org.organizationId }
let answers: Asked[] = []

test('own: a role does what its scopes say, by key, session and service account', async () => {
  // Two of the three each time, in turn: all three look at the same scopes, and each meets every role at most operations.
  const questions = [...credentials].flatMap(([role, ways], turn) =>
    OPERATIONS.flatMap((operation, at) =>
      isStream(operation) && holdsOne(operation, ROLES[role]!)
        ? []
        : ways
            .filter((_, way) => way !== (at + turn) % ways.length)
            .map(([credential, headers]) => async () => ({
              operation,
              role,
              credential,
              ...(await ask(operation, headers, own)),
            })),
    ),
  )
  answers = await askAll(questions)
  assert.ok(answers.length > 3500, `${answers.length} questions`)
  assert.deepEqual(surprises(answers, ROLES), [])
})

test('the matrix notices a scope too many and a scope too few', () => {
  const less = { ...ROLES, 'Help Desk': ROLES['Help Desk']!.filter((scope) => scope !== 'users') }
  const more = { ...ROLES, 'Read Only': [...ROLES['Read Only']!, 'groups'] }
  assert.ok(surprises(answers, less).every((line) => line.includes('of Help Desk: ')))
  assert.ok(surprises(answers, less).length > 30)
  assert.ok(surprises(answers, more).some((line) => line.includes('/usergroups by')))
  const opened = answers.map((asked) => ({
    ...asked,
    status: asked.status === 403 ? 404 : asked.status,
  }))
  assert.ok(surprises(opened, ROLES).length > 1000)
})

test('own: a narrowed key does what it is narrowed to', async () => {
  const session = await signInToConsole(app.http, org)
  const scopes = [...new Set(OPERATIONS.flatMap(({ scopes }) => scopes!))]
  for (const [at, scope] of scopes.filter((scope) => !scope.endsWith('.self')).entries()) {
    const made = await session.post(`/api/users/${org.adminId}/apikey`, { scopes: [scope] })
    assert.equal(made.statusCode, 200, made.body)
    app.secrets.add(made.json().apiKey)
    const headers = { 'x-api-key': made.json().apiKey }
    // All that the scope opens, and some of what it does not, each scope others.
    const chosen = OPERATIONS.filter(
      (operation, index) =>
        !isStream(operation) && (holdsOne(operation, [scope]) || index % 5 === at % 5),
    )
    const asked = await askAll(
      chosen.map((operation) => async () => ({
        operation,
        role: scope,
        credential: 'a narrowed key',
        ...(await ask(operation, headers, own)),
      })),
    )
    assert.deepEqual(surprises(asked, { [scope]: [scope] }), [])
  }
})

test('foreign: another organization is refused before anything is looked up', async () => {
  const ids = { organization: elsewhere.organizationId }
  const questions = [...credentials].flatMap(([role, ways]) =>
    OPERATIONS.map((operation, at) => async () => {
      const [credential, headers] = ways[at % ways.length]!
      const named = operation.tenant === 'path' ? {} : { 'x-org-id': elsewhere.organizationId }
      const answer = await ask(operation, { ...headers, ...named }, ids)
      return { operation, role, credential, ...answer }
    }),
  )
  for (const { operation, role, credential, status, body } of await askAll(questions)) {
    const hidden = holdsOne(operation, ROLES[role]!) && operation.tenant !== 'home'
    assert.equal(
      status,
      hidden ? 404 : 403,
      `${nameOf(operation)} by ${credential} of ${role}: ${body}`,
    )
    assert.match(body, hidden ? /organization not found/ : /scopes is needed|unsupported route/)
  }
})

test('provider: what is its own takes the scope and the reach of all of it', async () => {
  const msp = await app.newProvider(2)
  const [first, second] = msp.organizationIds as [string, string]
  const portal = { 'x-provider-id': msp.providerId }
  const ids = { provider_id: msp.providerId, organization: first }
  const OWN = OPERATIONS.filter(
    ({ tenant, hostRootPath }) =>
      ['header-or-provider', 'several'].includes(tenant) || hostRootPath.includes('{provider_id}'),
  )
  // What somebody of a part may still do at the provider's own address.
  const bounded = (operation: Operation) =>
    operation.method === 'GET' || nameOf(operation) !== 'PUT /api/v2/providers/{provider_id}'
  for (const [role, scopes] of Object.entries(ROLES)) {
    const part = await app.addProviderAdministrator(msp.providerId, [first], role)
    const whole = await app.addProviderAdministrator(msp.providerId, [first, second], role)
    for (const [reach, { apiKey }] of Object.entries({ part, whole }))
      for (const operation of OWN.filter((operation) => !isStream(operation))) {
        const headers = { 'x-api-key': apiKey, ...(operation.tenant !== 'home' && portal) }
        const { status, body } = await ask(operation, headers, ids)
        const admitted =
          holdsOne(operation, scopes) &&
          (reach === 'whole' || (operation.tenant === 'home' && bounded(operation)))
        const what = `${nameOf(operation)} by ${role} of the ${reach}: ${status} ${body}`
        if (admitted) assert.ok(![401, 403].includes(status) && status < 500, what)
        else assert.equal(status, 403, what)
        const foreign = { ...ids, provider_id: newId() }
        const stranger = await ask(operation, { ...headers, 'x-provider-id': newId() }, foreign)
        const unknown = holdsOne(operation, scopes) ? [400, 404] : [403]
        assert.ok(unknown.includes(stranger.status), `${what}; as a stranger ${stranger.status}`)
      }
    // An organization that is not reached is not there, whichever address names it.
    for (const operation of OPERATIONS.filter(
      ({ tenant, hostRootPath }) =>
        tenant === 'path' || /organizations\/\{id\}$/.test(hostRootPath),
    )) {
      const asked = { ...ids, organization: second, id: second }
      const { status } = await ask(operation, { 'x-api-key': part.apiKey }, asked)
      assert.equal(status, holdsOne(operation, scopes) ? 404 : 403, `${nameOf(operation)} ${role}`)
    }
  }
})

test('peer: whoever holds or reaches more is changed by nobody', async () => {
  const msp = await app.newProvider(2)
  const [first, second] = msp.organizationIds as [string, string]
  const CHANGES: [RegExp, string][] = [
    [/^(PUT|DELETE) \/api\/users\/\{id\}$/, 'id'],
    [/^DELETE \/api\/users\/\{id\}\/apikey$/, 'id'],
    [/^GET \/api\/users\/reactivate/, 'id'],
    [/^POST \/api\/users\/resettotp/, 'id'],
    [/^DELETE \/api\/v2\/providers\/\{provider_id\}\/administrators\/\{id\}$/, 'id'],
    [/^POST \/api\/v2\/administrators\/\{id\}\/organizationlinks$/, 'id'],
    [/^DELETE \/api\/v2\/administrators\/\{administrator_id\}/, 'administrator_id'],
  ]
  const changes = OPERATIONS.flatMap((operation) => {
    const parameter = CHANGES.find(([pattern]) => pattern.test(nameOf(operation)))?.[1]
    return parameter ? [{ operation, parameter }] : []
  })
  assert.equal(changes.length, 8)
  const wider = await app.addProviderAdministrator(msp.providerId, [first, second], 'Read Only')
  const higher = await app.addProviderAdministrator(
    msp.providerId,
    [first],
    'Administrator with Billing',
  )
  const equal = await app.addProviderAdministrator(msp.providerId, [first], 'Read Only')
  for (const role of ['Administrator', 'Manager', 'Help Desk', 'Command Runner']) {
    const admin = await app.addProviderAdministrator(msp.providerId, [first], role)
    const session = await signInToConsole(app.http, admin)
    await session.confirm()
    for (const headers of [session.headers, { 'x-api-key': admin.apiKey }])
      for (const { operation, parameter } of changes)
        for (const [peer, { id }] of Object.entries({ wider, higher })) {
          const ids = { provider_id: msp.providerId, id: first, [parameter]: id }
          const { status, body } = await ask(operation, headers, ids, { organization: first })
          assert.equal(status, 403, `${nameOf(operation)} of ${peer} by ${role}: ${body}`)
        }
  }
  const helper = await app.addProviderAdministrator(msp.providerId, [first], 'Administrator')
  const renamed = await helper.put(`/api/users/${equal.id}`, { firstname: 'Grace' })
  assert.equal(renamed.statusCode, 200, renamed.body)
})

test('an association takes a right to both of its ends, by every role at every address', async () => {
  const posts = OPERATIONS.filter((operation) => /^POST .*\/associations$/.test(nameOf(operation)))
  assert.equal(posts.length, ADDRESSES.length)
  for (const operation of posts) {
    const { type: near } = ADDRESSES.find(({ path }) =>
      operation.hostRootPath.startsWith(`/api/v2/${path}/`),
    )!
    const { type } = (operation.schema.body as { properties: { type: { enum: string[] } } })
      .properties
    for (const far of type.enum as (keyof typeof WRITE_SCOPES)[])
      for (const [role, [[, headers] = ['', {}]]] of credentials) {
        const held = ROLES[role]!
        const may = (end: keyof typeof WRITE_SCOPES) =>
          WRITE_SCOPES[end].some((scope) => held.includes(scope))
        const expected = may(near) && may(far) ? 404 : 403
        const body = { op: 'add', type: far, id: newId() }
        const { status } = await ask(operation, headers, own, body)
        assert.equal(status, expected, `${near} ↔ ${far} by ${role}`)
      }
  }
})

test('a system that signs reaches what has a scope of its own, about itself, and nothing else', async () => {
  const { publicKey, privateKey } = newKeyPair()
  const system = await enrol(app.http, elsewhere, publicKey)
  const signed = signedCaller(app.http, system, privateKey)
  const selfOf = ({ scopes }: Operation) => scopes!.some((scope) => scope.endsWith('.self'))
  // It deletes itself at the end.
  const last = OPERATIONS.filter((operation) => nameOf(operation) === 'DELETE /api/systems/{id}')
  for (const operation of [...OPERATIONS.filter((o) => !last.includes(o)), ...last]) {
    const { method } = operation
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const at = (ids: Headers) =>
      signed(method, pathOf(operation, { ...ids, organization: elsewhere.organizationId }), body)
    const itself = { id: system, system_id: system }
    if (!selfOf(operation)) {
      assert.equal((await at(itself)).statusCode, 401, nameOf(operation))
      continue
    }
    // Whose membership it is stands in the body.
    if (!operation.hostRootPath.endsWith('/members'))
      assert.equal((await at({})).statusCode, 401, `${nameOf(operation)} of another`)
    const { statusCode } = await at(itself)
    assert.ok(![401, 403].includes(statusCode) && statusCode < 500, nameOf(operation))
  }
})
