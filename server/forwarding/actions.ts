import {
  changesBetween,
  readBetween,
  readWatermark,
  recordEvent,
  SERVICES,
} from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import { conflict, invalid, notFound } from '../platform/errors.ts'
import { newId, uuidv7 } from '../platform/ids.ts'
import { checkUrls } from '../platform/outbound/check-urls.ts'
import { type ForwardingContext, secretContext } from './context.ts'
import { secretsOf } from './deliver.ts'
import { readCursor, readFilter, startOf } from './filter.ts'
import { dropBatch, readRun, restart } from './run-store.ts'
import type {
  Delivery,
  Forwarder,
  ForwarderWithSecret,
  ForwarderWrite,
  TestResult,
} from './schema.ts'
import { send } from './send.ts'
import { keyOf, newSecret } from './signature.ts'
import {
  countForwarders,
  deleteForwarder,
  type ForwarderRow,
  insertForwarder,
  lockForwarder,
  readDeliveries,
  readForwarders,
  type Settings,
  saveForwarder,
} from './store.ts'

const DEFAULT_BATCH = 500
/** How long the previous secret still signs. */
const CHANGEOVER_MS = 86_400_000

const forwarderNotFound = () => notFound('forwarder_not_found', 'forwarder not found')
const clock = ({ now = Date.now }: ForwardingContext): number => now()

/** As the API shows them, with the age of the oldest event that waits. */
async function shownForwarders(
  context: ForwardingContext,
  { organizationId }: Caller,
  id?: string,
): Promise<Forwarder[]> {
  const db = context.db.tenant(organizationId)
  const now = clock(context)
  const all = { services: SERVICES, term: null }
  const shown: Forwarder[] = []
  for (const { cursor, ...stored } of await readForwarders(db, organizationId, id)) {
    const [waiting] = await readBetween(db, [organizationId], all, cursor, now + 1, 1)
    const lag_seconds = waiting ? (now - waiting.timestamp) / 1000 : 0
    shown.push({ ...stored, cursor: [cursor.timestamp, cursor.id], lag_seconds })
  }
  return shown
}

export const listForwarders = (context: ForwardingContext, caller: Caller): Promise<Forwarder[]> =>
  shownForwarders(context, caller)

export async function getForwarder(
  context: ForwardingContext,
  caller: Caller,
  id: string,
): Promise<Forwarder> {
  const [found] = await shownForwarders(context, caller, id)
  if (!found) throw forwarderNotFound()
  return found
}

/** Validates the body; absent members get their defaults, as in every full replace. */
async function readSettings(context: ForwardingContext, body: ForwarderWrite): Promise<Settings> {
  const { service = ['all'], search_term = null } = body
  readFilter(service, search_term, clock(context), context.limits.events)
  if (typeof body.secret === 'string' && keyOf(body.secret) === null)
    throw invalid('bad_secret', 'secret must be whsec_ followed by 24 to 64 bytes in base64')
  await checkUrls(context.outbound, { url: body.url })
  return {
    name: body.name,
    url: body.url,
    format: body.format ?? 'json',
    service: [service].flat().map(String),
    search_term: search_term as Settings['search_term'],
    enabled: body.enabled ?? true,
    batch_size: body.batch_size ?? DEFAULT_BATCH,
  }
}

const resourceOf = (id: string, name: string) => ({ type: 'forwarder', id, name })

export async function createForwarder(
  context: ForwardingContext,
  caller: Caller,
  body: ForwarderWrite,
): Promise<ForwarderWithSecret> {
  const { db, sealer, limits } = context
  const { organizationId } = caller
  const settings = await readSettings(context, body)
  const id = newId()
  const secret = body.secret ?? newSecret()
  const from = startOf(await readWatermark(db))
  await db.tx(organizationId, async (tx) => {
    const { forwarders } = limits.tenant
    if ((await countForwarders(tx, organizationId)) >= forwarders)
      throw conflict(
        'too_many_forwarders',
        `An organization can have at most ${forwarders} forwarders`,
      )
    const sealed = sealer.seal(secret, secretContext(id))
    const row = { ...settings, secret: sealed }
    await insertForwarder(tx, organizationId, id, row, from, clock(context))
    await recordEvent(tx, caller, {
      event_type: 'forwarder_create',
      resource: resourceOf(id, settings.name),
      changes: changesBetween({}, { ...settings, secret: sealed }, ['secret']),
    })
  })
  return { ...(await getForwarder(context, caller, id)), secret }
}

const settingsOf = ({
  name,
  url,
  format,
  service,
  search_term,
  enabled,
  batch_size,
}: Settings) => ({
  name,
  url,
  format,
  service,
  search_term,
  enabled,
  batch_size,
})

/** The new secret in plain text, or undefined when it does not change. */
async function changedSecret(
  { sealer }: ForwardingContext,
  before: ForwarderRow,
  body: ForwarderWrite,
): Promise<string | undefined> {
  if (body.secret === undefined) return undefined
  if (body.secret === null) return newSecret()
  const current = await sealer.unseal(before.secret, secretContext(before.id))
  return current === body.secret ? undefined : body.secret
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A full replace, except for the secret. Failed batches are retried at once. */
export async function changeForwarder(
  context: ForwardingContext,
  caller: Caller,
  id: string,
  body: ForwarderWrite,
): Promise<ForwarderWithSecret> {
  const { db, sealer } = context
  const { organizationId } = caller
  const now = clock(context)
  // Before the URL is resolved: other tenants must learn nothing about this id.
  await getForwarder(context, caller, id)
  const settings = await readSettings(context, body)
  const secret = await db.tx(organizationId, async (tx) => {
    const before = await lockForwarder(tx, organizationId, id)
    if (!before) throw forwarderNotFound()
    const fresh = await changedSecret(context, before, body)
    const secrets =
      fresh === undefined
        ? before
        : {
            secret: sealer.seal(fresh, secretContext(id)),
            previous_secret: before.secret,
            previous_secret_until: new Date(now + CHANGEOVER_MS).toISOString(),
          }
    await saveForwarder(tx, organizationId, id, { ...secrets, ...settings }, now)
    const formsBatches = ({ service, search_term, batch_size }: Settings) => [
      service,
      search_term,
      batch_size,
    ]
    if (!same(formsBatches(before), formsBatches(settings))) await dropBatch(tx, organizationId, id)
    await restart(tx, organizationId, id, settings.enabled, now)
    const changes = changesBetween(
      { ...settingsOf(before), secret: before.secret },
      { ...settings, secret: secrets.secret },
      ['secret'],
    )
    if (changes.length > 0) {
      await recordEvent(tx, caller, {
        event_type: 'forwarder_update',
        resource: resourceOf(id, settings.name),
        changes,
      })
    }
    return fresh
  })
  const shown = body.secret === null && secret !== undefined ? { secret } : {}
  return { ...(await getForwarder(context, caller, id)), ...shown }
}

export async function removeForwarder(
  { db }: ForwardingContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { organizationId } = caller
  await db.tx(organizationId, async (tx) => {
    const forwarder = await lockForwarder(tx, organizationId, id)
    if (!forwarder) throw forwarderNotFound()
    await deleteForwarder(tx, organizationId, id)
    await recordEvent(tx, caller, {
      event_type: 'forwarder_delete',
      resource: resourceOf(id, forwarder.name),
    })
  })
}

/** Moves the cursor: back to send events again, or forward to skip some. */
export async function replay(
  context: ForwardingContext,
  caller: Caller,
  id: string,
  from: unknown,
): Promise<Forwarder> {
  const { organizationId } = caller
  const now = clock(context)
  const cursor = readCursor(from, now, context.limits.events)
  await context.db.tx(organizationId, async (tx) => {
    const before = await lockForwarder(tx, organizationId, id)
    if (!before) throw forwarderNotFound()
    await dropBatch(tx, organizationId, id)
    await restart(tx, organizationId, id, before.enabled, now, cursor)
    const place = ({ timestamp, id: event }: typeof cursor) => ({ cursor: [timestamp, event] })
    await recordEvent(tx, caller, {
      event_type: 'forwarder_update',
      resource: resourceOf(id, before.name),
      changes: changesBetween(place(before.cursor), place(cursor)),
    })
  })
  return getForwarder(context, caller, id)
}

/** Sends one sample event now; cursor and state do not change. */
export async function testForwarder(
  context: ForwardingContext,
  { organizationId }: Caller,
  id: string,
): Promise<TestResult> {
  const { db, outbound, now = Date.now } = context
  const run = await readRun(db.tenant(organizationId), organizationId, id)
  if (!run) throw forwarderNotFound()
  const sample = {
    id: uuidv7(),
    event_type: 'forwarder_test',
    service: 'directory',
    organization: organizationId,
    resource: { type: 'forwarder', id },
    success: true,
    '@version': 1,
    timestamp: new Date(now()).toISOString(),
  }
  const secrets = await secretsOf(context, id, run, now())
  const target = { url: run.url, format: run.format, secrets }
  const webhook_id = `msg_${sample.id}`
  const outcome = await send(outbound, target, webhook_id, [JSON.stringify(sample)], now)
  const { delivered, http_status, duration_ms, error } = outcome
  return { delivered, webhook_id, http_status, duration_ms, error }
}

export async function listDeliveries(
  context: ForwardingContext,
  caller: Caller,
  id: string,
): Promise<Delivery[]> {
  await getForwarder(context, caller, id)
  return readDeliveries(context.db.tenant(caller.organizationId), caller.organizationId, id)
}
