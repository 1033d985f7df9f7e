import assert from 'node:assert/strict'
import { addNode, NODE_TYPES } from '../../server/graph/index.ts'
import { newId } from '../../server/platform/ids.ts'
import { enrol, newKeyPair, signedCaller } from '../enrol.ts'
import type { startApp } from '../harness.ts'
import type { Random } from '../insights/random.ts'
import { addUser } from '../people.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Org = Awaited<ReturnType<App['newOrganization']>>

const MAX_KEPT = 12

/** Collections with several paths. */
const SAME: [RegExp, string][] = [
  [/^\/api\/users\/(reactivate|resettotp)$/, '/api/users'],
  [/^\/api\/v2\/administrators$/, '/api/users'],
  [/^\/api\/v2\/users$/, '/api/systemusers'],
  [/^\/api\/files\/command$/, '/api/commands'],
  [/^\/api\/v2\/(systems|commands|applications|organizations)$/, '/api/$1'],
]

const NODE_PATHS = new Map([
  ['policy', 'policies'],
  ['active_directory', 'activedirectories'],
])

/** Keyed by the path before the id, whatever the parameters are called. */
const collectionOf = (path: string): string =>
  SAME.reduce((name, [other, one]) => name.replace(other, one), path.replace(/:\w+/g, ':'))

/** Collection of each graph type. */
const pathOf = (type: string): string =>
  `/api/v2/${NODE_PATHS.get(type) ?? `${type.replaceAll('_', '')}s`}`

/** Ids of records by collection, including those created during the test. */
export class World {
  readonly #byCollection = new Map<string, string[]>()
  readonly #foreign: string[] = []
  readonly #spared = new Set<string>()
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** The callers must not be deleted, suspended or given another key. */
  spare(id: string): void {
    this.#spared.add(id)
  }

  add(path: string, id: unknown): void {
    if (typeof id !== 'string' || id === '' || this.#spared.has(id)) return
    const collection = collectionOf(path)
    const ids = this.#byCollection.get(collection) ?? []
    this.#byCollection.set(collection, ids)
    if (ids.includes(id)) return
    if (ids.length < MAX_KEPT) ids.push(id)
    else ids[this.#random.below(MAX_KEPT)] = id
  }

  addForeign(...ids: string[]): void {
    this.#foreign.push(...ids)
  }

  /** Collects all ids in a response, for its collection. */
  learn(path: string, body: unknown): void {
    const { id, _id, jobId, results } = Object(body) as Record<string, unknown>
    const list = Array.isArray(body) ? body : Array.isArray(results) ? results : []
    for (const one of [id, _id, jobId]) this.add(path, one)
    for (const entry of list.slice(0, 5)) {
      const { id, _id, scheduledJobId } = Object(entry) as Record<string, unknown>
      for (const one of [id, _id, scheduledJobId]) this.add(path, one)
    }
  }

  readonly any = (): string => {
    const { pick, chance } = this.#random
    if (chance(0.1)) return newId()
    if (chance(0.15)) return pick(this.#foreign)
    return pick([...this.#byCollection.values()].flat())
  }

  readonly ofType = (type: string): string => this.own(pathOf(type))

  /** An id for the parameter after this path prefix, such as `/api/v2/users`. */
  readonly own = (path: string): string => {
    const known = this.#byCollection.get(collectionOf(path))
    return known && known.length > 0 ? this.#random.pick(known) : this.any()
  }
}

export const { publicKey, privateKey } = newKeyPair()

/** Collections with records, created below. */
const WITH_RECORDS = new Set<string>([
  'user',
  'system',
  'command',
  'application',
  'user_group',
  'system_group',
])

/** Records that generated requests would rarely create: a system that has reported, a report, nodes without records. */
export async function furnish(app: App, org: Org, world: World): Promise<void> {
  const { organizationId } = org
  const made = async (url: string, body: object) => {
    const res = await org.post(url, body)
    assert.ok(res.statusCode < 300, `${url}: ${res.body}`)
    world.learn(url, res.json())
    return res.json()
  }
  for (let at = 0; at < 4; at++) {
    world.add('/api/users', (await app.addAdministrator(organizationId)).id)
    world.add('/api/systemusers', (await addUser(org)).id)
    await made('/api/v2/usergroups', { name: newId() })
    await made('/api/v2/systemgroups', { name: newId() })
  }
  const systemId = await enrol(app.http, org, publicKey)
  for (let at = 0; at < 3; at++) world.add('/api/systems', await enrol(app.http, org, publicKey))
  const command = (await made('/api/commands', { name: 'x', command: 'true' })).id
  const order = { _id: command, systemIds: [systemId] }
  const { queueIds } = await made('/api/runCommand', order)
  const answer = { exitCode: 0, output: '', error: '' }
  const signed = signedCaller(app.http, systemId, privateKey)
  await signed('POST', `/agent/v1/commands/${queueIds[0]}/result`, answer)
  world.add('/api/commandresults', queueIds[0])
  const waiting = await made('/api/runCommand', order)
  world.add('/api/v2/commandqueue', waiting.workflowInstanceId)
  world.add('/agent/v1/commands', waiting.queueIds[0])
  const label = { displayLabel: 'Wiki', displayName: 'Wiki' }
  for (let at = 0; at < 3; at++) {
    const slug = newId()
    await made('/api/applications', {
      name: 'saml2',
      ...label,
      ssoUrl: slug,
      config: {
        acsUrl: { value: 'https://127.0.0.1:9/acs' },
        spEntityId: { value: 'https://127.0.0.1:9' },
      },
    })
    world.add('/saml2', slug)
    const client = (await made('/api/applications', { name: 'oidc', ...label })).id
    const oidc = { redirectUris: ['https://127.0.0.1:9/back'] }
    const { oidc: settings } = await made(`/api/v2/applications/${client}/sso`, { oidc })
    world.add('/oidc', settings.clientId)
  }
  await made('/insights/directory/v1/reports/os-version', {})
  await app.runDueJobs()
  const [report] = (await org.get('/insights/directory/v1/reports')).json()
  for (const id of ['os-version', 'users-to-devices', report.id])
    world.add('/insights/directory/v1/reports', id)
  world.add('/insights/directory/v1/reports/:/artifacts', report.artifacts[0].id)
  world.add('/api/organizations', organizationId)
  for (const type of NODE_TYPES) {
    if (WITH_RECORDS.has(type)) continue
    const id = newId()
    world.add(pathOf(type), id)
    await app.db.tx(organizationId, (tx) => addNode(tx, organizationId, type, id))
  }
}
