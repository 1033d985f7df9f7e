import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import {
  addApplication,
  attemptsOf,
  authnRequest,
  newWorld,
  type Org,
  query,
} from '../../test/sso/world.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { mayRecord } from '../signon/index.ts'
import { Refusal } from './refusal.ts'
import { trimPending } from './store.ts'

// Limits on what unauthenticated clients can make us store.

const app = await startApp()

const send = (url: string, xml: string) => app.http.inject({ url: `${url}?${query(xml)}` })
const pendingOf = async (org: Org, applicationId: string) =>
  (
    await app.db.tenant(org.organizationId).many<{ request: { requestId: string } }>(sql`
      select request from sso_pending_requests
       where organization_id = ${org.organizationId} and application_id = ${applicationId}
       order by expires_at, hash`)
  ).map(({ request }) => request.requestId)

const LONG = 'x'.repeat(30_000)
const named = (count: number) =>
  `<samlp:RequestedAuthnContext>${'<saml:AuthnContextClassRef>urn:x</saml:AuthnContextClassRef>'.repeat(count)}</samlp:RequestedAuthnContext>`

const quotes: [name: string, xml: string][] = [
  ['Issuer', authnRequest({ issuer: LONG })],
  ['Destination', authnRequest({ attributes: `Destination="${LONG}"` })],
  ['Version', authnRequest().replace('Version="2.0"', `Version="${LONG}"`)],
  ['address', authnRequest({ attributes: `AssertionConsumerServiceURL="${LONG}"` })],
  ['ProtocolBinding', authnRequest({ attributes: `ProtocolBinding="${LONG}"` })],
  ['root', authnRequest().replaceAll('AuthnRequest', LONG.slice(0, 10_000))],
]
for (const [name, xml] of quotes)
  test(`an overlong ${name} is truncated`, async () => {
    const { org, application } = await newWorld(app)
    assert.equal((await send(application.url, xml)).statusCode, 400)
    const [attempt] = await attemptsOf(org, application.id)
    assert.ok(attempt.explanation.length < 1000, attempt.explanation)
    const event = (await org.events()).find(({ event_type }) => event_type === 'sso_auth')
    assert.ok(String(event?.error_message).length < 1000)
  })

const endless: [name: string, parts: { content: string }][] = [
  ['Format', { content: `<samlp:NameIDPolicy Format="${LONG}"/>` }],
  ['SPNameQualifier', { content: `<samlp:NameIDPolicy SPNameQualifier="${LONG}"/>` }],
  ['NameID', { content: `<saml:Subject><saml:NameID>${LONG}</saml:NameID></saml:Subject>` }],
  ['AuthnContextClassRef', { content: named(1).replace('urn:x', LONG) }],
  ['AuthnContextClassRef', { content: named(21) }],
]
for (const [name, parts] of endless)
  test(`an oversized ${name} is not stored: ${parts.content.length} characters`, async () => {
    const { org, application } = await newWorld(app)
    assert.equal((await send(application.url, authnRequest(parts))).statusCode, 400)
    const [attempt] = await attemptsOf(org, application.id)
    assert.equal(attempt.reason, 'unreadable')
    assert.match(attempt.explanation, new RegExp(name))
    assert.deepEqual(await pendingOf(org, application.id), [])
  })

test('twenty class names are accepted', async () => {
  const { application } = await newWorld(app)
  const res = await send(application.url, authnRequest({ content: named(20) }))
  assert.equal(res.statusCode, 303)
})

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => ` ${prefix}${at}="u"`).join('')
// Small once deflated. Walking the tree of the first took seventeen seconds.
const floods: [name: string, xml: string, explanation: RegExp][] = [
  ['instructions by the megabyte', `<a>${'<?p?>'.repeat(52_000)}</a>`, /32768 bytes/],
  ['instructions', `<a>${'<?p?>'.repeat(6000)}</a>`, /processing instruction/],
  ['comments', `<a>${'<!---->'.repeat(4500)}</a>`, /comment/],
  ['elements', `<a>${'<b/>'.repeat(8000)}</a>`, /more than 100 elements/],
  ['attributes', `<a${names(2500, 'b')}/>`, /more than 50 attributes/],
  ['namespaces', `<a${names(1700, 'xmlns:b')}/>`, /more than 20 namespace declarations/],
  ['levels', `${'<a>'.repeat(4500)}${'</a>'.repeat(4500)}`, /deeper than 32/],
  ['entities', `<!DOCTYPE a [${'<!ENTITY b "">'.repeat(2000)}]><a/>`, /document type/],
]
for (const [name, xml, explanation] of floods)
  test(`a flood of ${name} is refused before it is parsed`, async () => {
    const { org, application } = await newWorld(app)
    assert.equal((await send(application.url, xml)).statusCode, 400)
    const [attempt] = await attemptsOf(org, application.id)
    assert.equal(attempt.reason, 'unreadable')
    assert.match(attempt.explanation, explanation)
  })

const refusal = new Refusal('stale', 'too old')

test('recording of refusals is rate-limited per address, and for all addresses together', () => {
  const application = { id: newId() }
  const from = (ip: string, now: number) => mayRecord({ application, client: { ip }, refusal }, now)
  const written = Array.from({ length: 500 }, () => from('192.0.2.1', 0)).filter(Boolean)
  assert.equal(written.length, 200)
  assert.equal(from('192.0.2.1', 2000), false)
  assert.equal(from('192.0.2.1', 60_000), true, 'they come back')
  const others = Array.from({ length: 2000 }, (_, at) => from(`2001:db8::${at}`, 60_000))
  assert.ok(others.filter(Boolean).length < 1000)
  const known = { application, client: { ip: '192.0.2.1' }, refusal }
  const user = { id: newId(), username: 'ada' }
  assert.equal(
    mayRecord({ ...known, user }, 60_000),
    true,
    'attempts of known users are always recorded',
  )
})

test('requests over the rate limit are answered but not recorded', async () => {
  const { org, application } = await newWorld(app)
  const later = Date.now() + 3_600_000
  const spend = () => mayRecord({ application, client: { ip: '127.0.0.1' }, refusal }, later)
  while (spend());
  const res = await send(application.url, authnRequest({ issuer: 'https://evil.test' }))
  assert.equal(res.statusCode, 400)
  assert.match(res.body, /unknown application/)
  assert.deepEqual(await attemptsOf(org, application.id), [])
  assert.ok((await org.events()).every(({ event_type }) => event_type !== 'sso_auth'))
})

test('the oldest pending requests of an application are dropped first', async () => {
  const { org, application } = await newWorld(app)
  const other = await addApplication(org)
  for (const { url } of [other, application, application, application])
    assert.equal((await send(url, authnRequest())).statusCode, 303)
  const before = await pendingOf(org, application.id)
  assert.equal(before.length, 3)
  const { organizationId } = org
  await app.db.tenant(organizationId).run(sql`
    update sso_pending_requests set expires_at = expires_at + interval '1 minute'
     where request ->> 'requestId' = ${before[1]}`)
  await trimPending(app.db.tenant(organizationId), organizationId, application.id, 1)
  assert.deepEqual(await pendingOf(org, application.id), [before[1]])
  assert.equal((await pendingOf(org, other.id)).length, 1)
})
