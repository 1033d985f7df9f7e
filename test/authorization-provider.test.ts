import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import type { Operation } from '../server/platform/http/openapi.ts'
import { newId } from '../server/platform/ids.ts'
import {
  ask,
  askAll,
  askPairs,
  type Cell,
  credentialsOf,
  describe,
  type Expected,
  type Headers,
  type Holder,
  holdsOne,
  isOfItsOwner,
  meets,
  nameOf,
  operationsOf,
  ROLES,
  surprises,
  urlOf,
} from './authorization.ts'
import { authorization, enrol, newKeyPair } from './enrol.ts'
import { startApp } from './harness.ts'

// The part of the authorization matrix (authorization.ts) that is about providers, peers and systems.

const app = await startApp()
const OPERATIONS = operationsOf(app)
const msp = await app.newProvider(2)
const { providerId } = msp
const [first, second] = msp.organizationIds as [string, string]
const ids = { provider_id: providerId, organization: first }
const portal = { 'x-provider-id': providerId }

/** Callers who reach these organizations; the service accounts are those of the first. */
const holdersWithin = async (organizations: string[], account: Headers): Promise<Holder[]> =>
  (
    await Promise.all(
      Object.keys(ROLES).map((role) =>
        credentialsOf(
          app,
          role,
          () => app.addProviderAdministrator(providerId, organizations, role),
          (body) => msp.post('/api/v2/service-accounts', body, account),
        ),
      ),
    )
  ).flat()

const whole = await holdersWithin([first, second], portal)
const part = await holdersWithin([first], { 'x-org-id': first })
/** To these the provider is a stranger's. */
const isOfFirst = ({ credential }: Holder) => credential === 'a service account'

/** Of the provider as a whole, though the address names one organization or none. */
const OF_WHOLE = [
  'PUT /api/v2/providers/{provider_id}',
  'POST /api/v2/providers/{provider_id}/organizations/{id}/restore',
]
/** Refused without the name of the organization, before anything is looked up. */
const REMOVE = 'DELETE /api/v2/providers/{provider_id}/organizations/{id}'
const isOfProvider = ({ tenant }: Operation) => ['header-or-provider', 'several'].includes(tenant)

test('provider: what is its own takes the scope and the reach of all of it', async (t) => {
  const byWhole = ({ operation, held }: Cell): Expected => {
    if (!holdsOne(operation, held) || isOfItsOwner(operation)) return 403
    // Of several organizations one must be chosen.
    return operation.tenant === 'header' ? 401 : 'admitted'
  }
  const byPart = (cell: Cell): Expected => {
    const { operation, held } = cell
    if (!holdsOne(operation, held) || isOfItsOwner(operation)) return 403
    if (isOfFirst(cell)) return isOfProvider(operation) ? 404 : 'admitted'
    return isOfProvider(operation) || OF_WHOLE.includes(nameOf(operation)) ? 403 : 'admitted'
  }
  const [wide, narrow] = [
    await askPairs(app, whole, ids, () => portal),
    await askPairs(app, part, ids, () => portal),
  ]
  t.diagnostic(`${wide.length + narrow.length} cells`)
  assert.deepEqual(surprises(wide, byWhole), [])
  assert.deepEqual(surprises(narrow, byPart), [])
})

test('foreign: an organization of the provider beyond reach is not there', async (t) => {
  const beyond = { ...ids, organization: second, id: second }
  const headers = ({ tenant }: Operation): Headers =>
    ['path', 'home'].includes(tenant) ? {} : { 'x-org-id': second }
  // What has the caller's home for its tenant was asked above, but for the addresses of organizations.
  const named = OPERATIONS.filter(
    ({ tenant, hostRootPath }) => tenant !== 'home' || hostRootPath.endsWith('organizations/{id}'),
  )
  const cells = await askAll(app, part, beyond, headers, named)
  t.diagnostic(`${cells.length} cells`)
  assert.deepEqual(
    surprises(cells, ({ operation, held }) => {
      if (!holdsOne(operation, held)) return 403
      return nameOf(operation) === REMOVE ? 400 : 404
    }),
    [],
  )
})

test('foreign: another provider is not there', async (t) => {
  const another = newId()
  const named = OPERATIONS.filter(
    (operation) => isOfProvider(operation) || operation.hostRootPath.includes('{provider_id}'),
  )
  const strange = { ...ids, provider_id: another }
  const cells = await askAll(app, whole, strange, () => ({ 'x-provider-id': another }), named)
  t.diagnostic(`${cells.length} cells`)
  for (const cell of cells) {
    // Some bodies are judged first.
    const expected = holdsOne(cell.operation, cell.held) ? [400, 404] : [403]
    assert.ok(expected.includes(cell.status), describe(cell))
  }
})

interface Peer {
  id: string
  held: readonly string[]
  organizations: string[]
}
const newPeer = async (organizations: string[], role: string): Promise<Peer> => {
  const { id } = await app.addProviderAdministrator(providerId, organizations, role)
  return { id, held: ROLES[role]!, organizations }
}

test('peer: whoever holds or reaches more is changed by nobody', async (t) => {
  const about = OPERATIONS.filter(({ hostRootPath }) =>
    /^\/api\/users\/.*\{id\}|\/administrators\/\{/.test(hostRootPath),
  )
  assert.ok(about.length >= 11)
  const isRead = (operation: Operation) =>
    operation.method === 'GET' && !operation.hostRootPath.includes('/reactivate/')
  const peers = {
    wider: () => newPeer([first, second], 'Read Only'),
    higher: () => newPeer([first], 'Administrator with Billing'),
    lesser: () => newPeer([first], 'Read Only'),
  }
  const callers = [
    ...whole.map((holder) => ({ ...holder, reached: [first, second] })),
    // Service accounts of an organization have another home.
    ...part
      .filter((holder) => !isOfFirst(holder))
      .map((holder) => ({ ...holder, reached: [first] })),
  ]
  /** The secrets of service accounts expire, a link does not. */
  const isLinkWithoutEnd = ({ credential }: Holder, { method, hostRootPath }: Operation) =>
    credential === 'a service account' &&
    method === 'POST' &&
    hostRootPath.endsWith('/organizationlinks')
  const outcomes = { admitted: 0, refused: 0 }
  for (const [kind, make] of Object.entries(peers)) {
    let peer = await make()
    for (const holder of callers)
      for (const operation of about) {
        const { held, reached } = holder
        const mayChange =
          peer.held.every((scope) => held.includes(scope)) &&
          peer.organizations.every((id) => reached.includes(id))
        const admitted =
          holdsOne(operation, held) &&
          !isOfItsOwner(operation) &&
          (isRead(operation) || (mayChange && !isLinkWithoutEnd(holder, operation)))
        const parameter = operation.hostRootPath.includes('{administrator_id}')
          ? 'administrator_id'
          : 'id'
        const asked = { ...ids, id: first, [parameter]: peer.id }
        const body = { organization: first }
        const answer = await ask(app, operation, holder.headers, asked, body)
        const cell = { ...holder, ...answer, operation }
        const expected = admitted ? 'admitted' : 403
        assert.ok(meets(cell, expected), `${kind}: ${surprises([cell], () => expected)}`)
        outcomes[admitted ? 'admitted' : 'refused']++
        if (admitted && operation.method === 'DELETE') peer = await make()
      }
  }
  const { admitted, refused } = outcomes
  assert.ok(admitted > 200 && refused > 1000, JSON.stringify(outcomes))
  t.diagnostic(`${admitted + refused} cells`)
})

const { publicKey, privateKey } = newKeyPair()

test('a system that signs reaches what has a scope of its own, about itself, and nothing else', async (t) => {
  const enrolled = (organization: string) => {
    const get = (url: string) => msp.get(url, { 'x-org-id': organization })
    return enrol(app.http, { get }, publicKey)
  }
  const [system, peer, stranger] = [
    await enrolled(first),
    await enrolled(first),
    await enrolled(second),
  ]
  // It deletes itself at the end.
  const last = OPERATIONS.filter((operation) => nameOf(operation) === 'DELETE /api/systems/{id}')
  const inOrder = [...OPERATIONS.filter((operation) => !last.includes(operation)), ...last]
  const isOfSystems = ({ scopes }: Operation) => scopes!.some((scope) => scope.endsWith('.self'))

  /** As the system signs about this one; `beyond` is the answer where systems have a scope. */
  async function askSigned(signer: string, id: string, headers: Headers, beyond: Expected) {
    for (const operation of inOrder) {
      const { method } = operation
      const url = urlOf(operation, { ...ids, id, system_id: id })
      const date = new Date().toUTCString()
      const signed = authorization(signer, privateKey, method, url, date)
      const payload = { op: 'add', type: 'system', id }
      const res = await app.http.inject({
        method: method as InjectOptions['method'] & 'GET',
        url,
        headers: { date, authorization: signed, ...headers },
        ...(method !== 'GET' && method !== 'DELETE' && { payload }),
      })
      // Whose membership it is stands in the body, which is read after the signature is accepted.
      const late = beyond === 401 && operation.hostRootPath.endsWith('/members')
      const expected = !isOfSystems(operation) ? 401 : late ? 403 : beyond
      const status = res.statusCode
      assert.ok(meets({ status }, expected), `${nameOf(operation)} about ${id}: ${res.body}`)
    }
  }
  await askSigned(system, peer, {}, 401)
  await askSigned(system, stranger, {}, 401)
  await askSigned(system, system, { 'x-org-id': second }, 404)
  await askSigned(system, system, {}, 'admitted')
  // A system has no provider: the header says nothing to the operations that it reaches.
  await askSigned(peer, peer, portal, 'admitted')
  t.diagnostic(`${5 * inOrder.length} cells`)
})
