import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, InjectOptions, RouteOptions } from 'fastify'
import { type Credentials, seedAdministrator } from '../server/admins/index.ts'
import { createApp } from '../server/app.ts'
import { unlistedMembers } from '../server/insights/fields.ts'
import { latestEvents, type OwnEvent } from '../server/insights/index.ts'
import { foundOrganization } from '../server/organizations/index.ts'
import { loadConfig } from '../server/platform/config.ts'
import { type Connection, openDb } from '../server/platform/db/index.ts'
import { newId } from '../server/platform/ids.ts'
import { createLog } from '../server/platform/log.ts'
import { Sealer } from '../server/platform/secrets.ts'
import { type AtEnd, newDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { keepForProcess } from './process-parts.ts'

/** One for all applications of this process: it compiles each schema once. */
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)

/** Every response must match its route's declaration: status and schema. */
function checkResponses(http: FastifyInstance, problems: string[]): void {
  http.addHook('onSend', async (request, reply, sent) => {
    const declared = request.routeOptions.schema?.response as Record<string, object> | undefined
    if (!declared || request.is404) return sent
    const payload = sent instanceof Readable ? await text(sent) : sent
    const where = `${request.method} ${request.routeOptions.url} ${reply.statusCode}`
    const schema = declared[reply.statusCode] ?? declared[`${String(reply.statusCode)[0]}xx`]
    if (!schema) problems.push(`${where}: the status is not declared`)
    else if (typeof payload === 'string' && payload !== '') {
      const validate = ajv.compile(schema)
      if (!validate(JSON.parse(payload)))
        problems.push(`${where}: ${ajv.errorsText(validate.errors)}`)
    }
    return payload
  })
}

/** Every recorded event must match its schema, whichever test causes it. */
function checkEvent(event: OwnEvent, unlisted: Set<string>): void {
  for (const member of unlistedMembers(event.service, event))
    unlisted.add(`${event.service} ${event.event_type}: ${member}`)
}

export type Response = Awaited<ReturnType<FastifyInstance['inject']>>

/** Calls as an administrator, with the key in the header. */
export function caller(http: FastifyInstance, apiKey: string | null) {
  const call =
    (method: InjectOptions['method'] & string) =>
    (
      url: string,
      body?: unknown,
      headers: Record<string, string | string[]> = {},
    ): Promise<Response> =>
      http.inject({
        method: method as 'GET',
        url,
        headers: { ...(apiKey !== null && { 'x-api-key': apiKey }), ...headers },
        ...(body !== undefined && { payload: body as object }),
      })
  return {
    get: (url: string, headers?: Record<string, string | string[]>) =>
      call('GET')(url, undefined, headers),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  }
}

interface AppOptions {
  env?: Record<string, string>
  searchTimeoutMs?: number
  /** Simulates another process on the same database. */
  beside?: { owner: Connection; service: Connection; sealer: Sealer }
  /** Never a shared application: for a file that depends on more than its own organizations. */
  alone?: true
}

async function openShared() {
  const port = await freePort()
  const env = { GATEHOUSE_PUBLIC_URL: `http://127.0.0.1:${port}` }
  const app = await openApp({ env }, keepForProcess)
  await app.listen(port)
  return app
}

let shared: ReturnType<typeof openShared> | undefined

/**
 * The whole application: without options the one that all files of this process share, which listens. When the test
 * file is done, its responses, events and log are checked.
 */
export async function startApp(options: AppOptions = {}) {
  const isShared = Object.keys(options).length === 0
  if (isShared) shared ??= openShared()
  const app = isShared ? await shared! : await openApp(options, after)
  after(app.checkRecorded)
  if (isShared) after(app.deleteOrganizations)
  return app
}

/** An application on a separate database. */
async function openApp(options: AppOptions, atEnd: AtEnd) {
  const { owner, service } = options.beside ?? (await newDatabase({ atEnd }))
  const lines: string[] = []
  const secrets = new Set<string>()
  const problems: string[] = []
  const unlisted = new Set<string>()
  const routes: RouteOptions[] = []
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const config = loadConfig({
    GATEHOUSE_LOG_LEVEL: 'debug',
    // The other sides of tests are there; other private networks stay refused.
    GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
    ...options.env,
  })
  const limits = { tenantShare: config.tenantShare, listTimeoutMs: config.listTimeout }
  const opened = openDb(service, { max: 5, ...limits })
  const searchDb = openDb(service, {
    max: 3,
    statementTimeoutMs: options.searchTimeoutMs ?? 30_000,
    spare: 0,
    ...limits,
  })
  const sealer = options.beside?.sealer ?? (await Sealer.open(randomBytes(32), opened))
  const app = await createApp({
    config,
    db: opened,
    searchDb,
    log: createLog('debug', sink),
    sealer,
    prepare: (http) => {
      checkResponses(http, problems)
      http.addHook('onRoute', (route) => void routes.push(route))
    },
    onEvent: (event) => checkEvent(event, unlisted),
  })
  const { db } = app
  const stopListening = await app.contexts.admins.cache.listen(service, createLog('silent'))

  atEnd(async () => {
    await app.http.close()
    await app.queue.stop()
    await stopListening()
    await db.close()
    await searchDb.close()
  })

  /** Clears the lists, so that the next file with this application is checked separately. */
  function checkRecorded() {
    const kept = [...secrets]
    const members = [...unlisted]
    const logged = lines.splice(0).join('')
    secrets.clear()
    unlisted.clear()
    assert.deepEqual(problems.splice(0), [], 'answers that their routes do not declare')
    assert.deepEqual(members, [], 'members of events that GET /schema does not list')
    // One pass, however many there are.
    const pattern = new RegExp(kept.map((secret) => secret.replaceAll(/\W/g, '\\$&')).join('|'))
    const leaked = kept.length > 0 && pattern.test(logged)
    assert.ok(!leaked, 'a secret appeared in the log')
  }

  /** Workers pass over deleted organizations, so that the next file with this application meets only its own. */
  const deleteOrganizations = () =>
    db.tx(null, (tx) =>
      tx.execute('update organizations set deleted_at = now() where deleted_at is null'),
    )

  let listening: Promise<string> | undefined
  /** Listens, for tests that need more than `inject`, and returns the URL. */
  const listen = async (port = 0) => (listening ??= app.http.listen({ port, host: '127.0.0.1' }))

  const keepSecret = <T extends Credentials>(credentials: T): T => {
    secrets.add(credentials.apiKey).add(credentials.password)
    return credentials
  }

  const eventsOf = async (tenantId: string) => {
    const rows = await latestEvents(db.tenant(tenantId), tenantId, 1000)
    return rows
      .reverse()
      .map((row) => JSON.parse(row.document) as Record<string, unknown> & { event_type: string })
  }

  /** Another administrator of an organization, with the role. */
  async function addAdministrator(organizationId: string, roleName = 'Administrator') {
    const person = {
      email: `${newId()}@example.com`,
      firstname: 'Ada',
      lastname: 'Admin',
      roleName,
    }
    const admin = keepSecret(
      await db.tx(organizationId, (tx) =>
        seedAdministrator(tx, { organization: organizationId }, person),
      ),
    )
    return { ...admin, ...caller(app.http, admin.apiKey) }
  }

  /** Another administrator of a provider, with access to these organizations. */
  async function addProviderAdministrator(
    provider: string,
    organizations: string[],
    roleName = 'Administrator',
  ) {
    const person = { email: `${newId()}@example.com`, roleName }
    const home = { provider, organizations }
    const admin = keepSecret(await db.tx(provider, (tx) => seedAdministrator(tx, home, person)))
    return { ...admin, ...caller(app.http, admin.apiKey) }
  }

  /** A single-tenant organization and its administrator, who makes the calls. */
  async function newOrganization(roleName = 'Administrator with Billing') {
    const { organizationId } = await db.tx(null, (tx) =>
      foundOrganization(tx, `Organization ${newId()}`, null),
    )
    const admin = await addAdministrator(organizationId, roleName)
    await db.tx(organizationId, async (tx) => tx.execute('delete from events'))
    return {
      ...admin,
      organizationId,
      adminId: admin.id,
      events: () => eventsOf(organizationId),
      eventTypes: async () => (await eventsOf(organizationId)).map((e) => e.event_type),
    }
  }

  /** A provider with this many organizations, and its administrator, who makes the calls. */
  async function newProvider(organizations = 2, roleName = 'Administrator with Billing') {
    const { organizationId, providerId } = await db.tx(null, (tx) =>
      foundOrganization(tx, `Organization ${newId()}`, `Provider ${newId()}`),
    )
    const ids = [organizationId]
    if (organizations === 0) {
      await db.tx(null, (tx) =>
        tx.execute('delete from organizations where id = $1', [organizationId]),
      )
    }
    for (let at = 1; at < organizations; at++) ids.push(newId())
    await db.tx(null, (tx) =>
      tx.execute(
        `insert into organizations (id, provider, name)
         select id, $2, 'Organization ' || id from unnest($1::text[]) id`,
        [ids.slice(1), providerId],
      ),
    )
    const reached = ids.slice(0, organizations)
    const admin = await addProviderAdministrator(providerId!, reached, roleName)
    await db.tx(providerId!, async (tx) => tx.execute('delete from events'))
    return {
      ...admin,
      adminId: admin.id,
      providerId: providerId!,
      organizationIds: ids,
      events: () => eventsOf(providerId!),
      eventTypes: async () => (await eventsOf(providerId!)).map((e) => e.event_type),
    }
  }

  return {
    ...app,
    config,
    sealer,
    owner,
    service,
    lines,
    /** Undeclared responses; always checked at the end. */
    problems,
    /** All registered routes, including unpublished ones. */
    routes,
    secrets,
    checkRecorded,
    deleteOrganizations,
    listen,
    anonymous: caller(app.http, null),
    as: (apiKey: string) => caller(app.http, apiKey),
    newOrganization,
    newProvider,
    addAdministrator,
    addProviderAdministrator,
    eventsOf,
    runDueJobs: () => app.queue.runDue(),
    runDueProvisioning: () => app.provisioning.runDue(),
  }
}
