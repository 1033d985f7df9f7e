import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { startApp } from '../../test/harness.ts'
import { PASSWORD } from '../../test/person.ts'
import {
  ACS,
  attemptsOf,
  authnRequest,
  callsOf,
  newRequestId,
  newWorld,
  query,
  responseIn,
  SP,
} from '../../test/sso/world.ts'

const app = await startApp()
app.secrets.add(PASSWORD)
const { org, application, person } = await newWorld(app)
const headers = { cookie: person.cookie }

const files = globSync('server/sso/hostile/*.xml').sort()
const fill = (text: string) =>
  text
    .replaceAll('{{id}}', newRequestId())
    .replaceAll('{{now}}', new Date().toISOString())
    .replaceAll('{{issuer}}', SP)
    .replaceAll('{{acs}}', ACS.replaceAll('&', '&amp;'))
    .replaceAll('{{destination}}', `${app.config.publicUrl}${application.url}`)

const lastAttempt = async () => (await attemptsOf(org, application.id))[0]

const calls = callsOf(app)
const visit = (parameters: string) => calls.visit(`${application.url}?${parameters}`, person.cookie)
const post = (fields: Record<string, string>, url = application.url) =>
  calls.postTo(url, fields, person.cookie)

test('the unmodified request is answered', async () => {
  responseIn(await visit(query(authnRequest())))
  const res = await post({ SAMLRequest: Buffer.from(authnRequest()).toString('base64') })
  responseIn(await app.http.inject({ url: String(res.headers.location), headers }))
})

for (const file of files) {
  const name = basename(file)
  const reason = name.split('.')[0]
  for (const binding of ['redirect', 'post'])
    test(`${name} by ${binding}`, async () => {
      const xml = fill(readFileSync(file, 'utf8'))
      const res =
        binding === 'redirect'
          ? await visit(query(xml, '"><script>alert(1)</script>'))
          : await post({ SAMLRequest: Buffer.from(xml).toString('base64') })
      assert.equal(res.statusCode, 400, res.body)
      assert.match(String(res.headers['content-type']), /^text\/html/)
      assert.match(String(res.headers['content-security-policy']), /default-src 'none'/)
      assert.doesNotMatch(res.body, /SAMLResponse|<script|evil|root:/)
      const attempt = await lastAttempt()
      assert.equal(attempt.reason, reason, attempt.explanation)
      assert.notEqual(attempt.explanation, '')
    })
}

const bomb = encodeURIComponent(deflateRawSync(Buffer.alloc(20_000_000, 60)).toString('base64'))
const queries: [name: string, parameters: string][] = [
  ['a deflate bomb', `SAMLRequest=${bomb}`],
  ['two requests', `${query(authnRequest())}&${query(authnRequest())}`],
  ['a request and a response', `${query(authnRequest())}&SAMLResponse=AAAA`],
  ['half an encoding', 'SAMLRequest=%'],
  ['no base64', 'SAMLRequest=<>'],
  ['nothing', 'SAMLRequest='],
  [
    'bytes that are not UTF-8',
    `SAMLRequest=${encodeURIComponent(deflateRawSync(Buffer.from([60, 255, 254])).toString('base64'))}`,
  ],
  ['an overlong RelayState', query(authnRequest(), 'x'.repeat(20_000))],
]
for (const [name, parameters] of queries)
  test(`a query with ${name}`, async () => {
    const res = await visit(parameters)
    assert.equal(res.statusCode, 400)
    assert.doesNotMatch(res.body, /SAMLResponse/)
    assert.equal((await lastAttempt()).reason, 'unreadable')
  })

test('a form that is too large, and a body that is not a form', async () => {
  const large = await post({ SAMLRequest: 'A'.repeat(200_000) })
  assert.equal(large.statusCode, 413)
  assert.match(String(large.headers['content-type']), /^text\/html/)
  const json = { url: application.url, headers, payload: { SAMLRequest: 'AAAA' } }
  assert.equal((await app.http.inject({ method: 'POST', ...json })).statusCode, 400)
  const other = { ...headers, 'content-type': 'text/xml' }
  const xml = { url: application.url, headers: other, payload: authnRequest() }
  assert.equal((await app.http.inject({ method: 'POST', ...xml })).statusCode, 415)
})

test('markup in RelayState is escaped', async () => {
  const relayState = `"><img src=x onerror=alert(1)> ' & \u2028 javascript:alert(1)`
  const res = await visit(query(authnRequest(), relayState))
  assert.equal(responseIn(res).relayState, relayState)
  assert.doesNotMatch(res.body, /<img/)
})

test('invalid tokens are refused', async () => {
  for (const token of [
    'x',
    `${org.organizationId}.`,
    `${org.organizationId}.AAAA`,
    '..%2f..%2fapi',
    "'--",
  ]) {
    const res = await app.http.inject({ url: `/saml2/resume/${token}`, headers })
    assert.ok([400, 404].includes(res.statusCode), String(res.statusCode))
    const out = await app.http.inject({ url: `/saml2/logout/${token}`, headers })
    assert.ok([200, 404].includes(out.statusCode), String(out.statusCode))
  }
})

test('a token of one tenant opens nothing in another', async () => {
  const other = await newWorld(app)
  const res = await app.http.inject({ url: `${other.application.url}?${query(authnRequest())}` })
  const path = new URL(String(res.headers.location), 'http://x').searchParams.get('continue')!
  const moved = path.replace(other.org.organizationId, org.organizationId)
  assert.equal((await app.http.inject({ url: moved, headers })).statusCode, 400)
})
