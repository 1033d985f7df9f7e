import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'
import { hook } from '../../platform/hooks.ts'
import { uuidv7 } from '../../platform/ids.ts'
import type { InsightsContext } from '../context.ts'
import { lockPastEvents } from '../segments/store.ts'
import { ingest } from './ingest.ts'

const app = await startApp()
const INSIGHTS = '/insights/directory/v1'
const DAY = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()

type Caller = Pick<Awaited<ReturnType<typeof app.newOrganization>>, 'post'>
const send = async (org: Caller, events: object[]) =>
  (await org.post(`${INSIGHTS}/ingest`, events)).json()
const find = async (org: Caller, service: string, search_term: object) => {
  const body = { service: [service], start_time: ago(80), search_term }
  const res = await org.post(`${INSIGHTS}/events`, body)
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
const event = (members: object) => ({
  service: 'directory',
  event_type: 'x',
  timestamp: ago(1),
  ...members,
})

test('a number in a string field is found like a string', async () => {
  const org = await app.newOrganization()
  const sent = [
    event({ service: 'systems', id: 'a', windows_meta: { logon_type: 10 }, system: { id: 7 } }),
    event({ service: 'ldap', auth_method: 128, error_code: 49, scope: 2 }),
    event({ service: 'reports', '@version': 1 }),
    event({ auth_context: { policies_applied: [{ name: 5, id: 6.5 }, { name: 'x' }] } }),
    event({ changes: [{ field: 3, from: 1, to: 2 }], useragent: { major: 110 } }),
    event({ id: 12, unlisted: 8 }),
  ]
  assert.equal((await send(org, sent)).stored, sent.length)
  const cases: [string, string, unknown][] = [
    ['systems', 'windows_meta.logon_type', 10],
    ['systems', 'windows_meta.logon_type', '10'],
    ['systems', 'system.id', 7],
    ['all', 'system.id', '7'],
    ['ldap', 'auth_method', 128],
    ['ldap', 'error_code', 49],
    ['reports', '@version', 1],
    ['directory', 'auth_context.policies_applied.name', 5],
    ['directory', 'auth_context.policies_applied.id', '6.5'],
    ['directory', 'id', 12],
    ['directory', 'unlisted', 8],
  ]
  for (const [service, field, value] of cases)
    assert.equal((await find(org, service, { and: [{ [field]: value }] })).length, 1, field)
  const starts = { field: 'auth_method', operator: 'startsWith', value: '12' }
  assert.equal((await find(org, 'ldap', { and: [starts] })).length, 1)
  const [ldap] = await find(org, 'ldap', { and: [{ scope: 2 }] })
  assert.deepEqual([ldap.auth_method, ldap.error_code], ['128', 49])
  const kept = (await org.events()).find(({ changes }) => changes)!
  assert.deepEqual(
    kept.changes,
    [{ field: 3, from: 1, to: 2 }],
    'as sent, since it is not searchable',
  )
  assert.deepEqual(kept.useragent, { major: 110 })
  assert.equal((await send(org, sent)).duplicates, sent.length)
})

test('a sigma is found anywhere in a word', async () => {
  const org = await app.newOrganization()
  const names = ['ΟΔΟΣ', 'οδος', 'οδοσ', 'ΟΔΟΣ ΑΒΓ']
  await send(
    org,
    names.map((username, at) => event({ service: 'radius', id: `name-${at}`, username })),
  )
  const count = async (operator: string, value: string) =>
    (await find(org, 'radius', { and: [{ field: 'username', operator, value }] })).length
  for (const word of ['ΟΔΟΣ', 'οδος', 'οδοσ']) {
    assert.equal(await count('eq', word), 3, word)
    assert.equal(await count('contains', word.slice(1)), 4, word)
    assert.equal(await count('startsWith', word), 4, word)
    assert.equal(await count('endsWith', word.slice(-2)), 3, word)
  }
})

test('a search term accepts the aliases of a service', async () => {
  const org = await app.newOrganization()
  await send(org, [event({ service: 'alerts', id: 'alert' }), event({ id: 'other' })])
  for (const name of ['alerts', 'Alerts', 'alert']) {
    const found = await find(org, 'all', { and: [{ service: name }] })
    assert.deepEqual(
      found.map(({ id }: { id: string }) => id),
      ['alert'],
      name,
    )
    const without = { field: 'service', operator: 'not_in', value: [name] }
    assert.equal((await find(org, 'all', { and: [without] })).length, 1)
  }
})

test('exported own events are duplicates when ingested again', async () => {
  const org = await app.newOrganization()
  for (const name of ['One', 'Two'])
    await org.post('/api/v2/roles', { name, scopes: ['users.readonly'] })
  const before = await org.events()
  assert.equal(before.length, 2)
  const report = await send(org, before)
  assert.deepEqual([report.stored, report.duplicates, report.rejected], [0, 2, 0])
  assert.deepEqual(await org.events(), before)

  // In another organization it is another event.
  const other = await app.newOrganization()
  const copies = before.map((document) => ({ ...document, organization: other.organizationId }))
  assert.equal((await send(other, copies)).stored, 2)
  assert.equal((await send(other, copies)).duplicates, 2)
  assert.equal((await org.events()).length, 2)
})

test('the same id with another time is another event', async () => {
  const org = await app.newOrganization()
  for (const id of [uuidv7(), 'B9D6E5A0-0000-4000-8000-000000000001', 'plain']) {
    const first = event({ id, timestamp: ago(3) })
    assert.equal((await send(org, [first])).stored, 1)
    assert.equal((await send(org, [{ ...first, id: id.toUpperCase() }])).duplicates, 1)
    assert.equal((await send(org, [{ ...first, timestamp: ago(2) }])).stored, 1)
  }
})

test('the organization is filled in, except when a source sends null', async () => {
  const org = await app.newOrganization()
  const id = org.organizationId
  await send(org, [
    event({ id: 'absent' }),
    event({ id: 'own', organization: id }),
    event({ id: 'portal', organization: null, provider: '5e160715b7782848e073301e' }),
  ])
  const stored = new Map((await org.events()).map((document) => [document.id, document]))
  assert.equal(stored.get('absent')!.organization, id)
  assert.equal(stored.get('own')!.organization, id)
  assert.equal(stored.get('portal')!.organization, null)
  const found = await find(org, 'all', { and: [{ organization: id }] })
  assert.equal(found.length, 2)
})

test('a body with the same events twice, in opposite order, is stored once', async () => {
  const org = await app.newOrganization()
  const events = Array.from({ length: 1200 }, (_, n) =>
    event({ id: `twin ${n}`, timestamp: ago(1 + n / 10_000) }),
  )
  // In two parts that arrive one after the other, so that they are stored concurrently.
  const parts = [events, events.toReversed()].map((some) =>
    some.map((one) => `${JSON.stringify(one)}\n`).join(''),
  )
  const res = await app.http.inject({
    method: 'POST',
    url: `${INSIGHTS}/ingest`,
    headers: { 'x-api-key': org.apiKey, 'content-type': 'application/x-ndjson' },
    payload: Readable.from(parts),
  })
  const { stored, duplicates } = res.json()
  assert.deepEqual([stored, duplicates], [1200, 1200])
})

test('recent events are stored while older ones are sealed', async () => {
  const org = await app.newOrganization()
  const report = await app.db.tx(org.organizationId, async (tx) => {
    await lockPastEvents(tx, org.organizationId)
    return send(org, [event({ timestamp: ago(0) })])
  })
  assert.equal(report.stored, 1)
})

test('large events are stored a few at a time', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const batches: number[] = []
  const arrived: InsightsContext['arrived'] = hook()
  arrived.on(async (_, __, places) => void batches.push(places.length))
  const lines = async function* () {
    for (let line = 1; line <= 20; line++) {
      const text = JSON.stringify(event({ id: `large ${line}`, text: 'x'.repeat(1_000_000) }))
      yield [{ line, text }]
    }
  }
  const ingested = { ingested_by: { type: 'admin', id: org.adminId }, ingested_at: ago(0) }
  const intake = { organizationId, retentionDays: 90, mayImport: true, ingested }
  const report = await ingest({ ...app.contexts.insights, arrived }, intake, lines())
  assert.equal(report.stored, 20)
  assert.deepEqual(batches.toSorted(), [5, 5, 5, 5])
})
