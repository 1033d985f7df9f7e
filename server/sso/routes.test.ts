import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { addPerson, PASSWORD, Person } from '../../test/person.ts'
import { verifies } from '../../test/sso/verifies.ts'
import {
  ACS,
  addApplication,
  addGroup,
  attemptsOf,
  attributeIn,
  authnRequest,
  base64,
  bind,
  callsOf,
  newRequestId,
  newWorld,
  type Org,
  query,
  responseIn,
  SP,
  statusesIn,
  valueIn,
} from '../../test/sso/world.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
app.secrets.add(PASSWORD)

const { visit, postTo } = callsOf(app)
const ssoEvents = async (org: Org) =>
  (await org.events()).filter(({ event_type }) => event_type === 'sso_auth')

test('SP-initiated: a signed response for that service provider, and an event', async () => {
  const { org, application, user, person } = await newWorld(app)
  const id = newRequestId()
  const request = authnRequest({
    id,
    attributes: `Destination="${app.config.publicUrl}${application.url}"`,
  })
  const res = await visit(`${application.url}?${query(request, 'to <b>"here"</b>')}`, person.cookie)
  const { action, xml, relayState } = responseIn(res)
  assert.equal(action, ACS)
  assert.equal(relayState, 'to <b>"here"</b>')
  assert.ok(verifies(xml, application.certificate, 'saml:Assertion'))
  assert.equal(attributeIn(xml, 'samlp:Response', 'InResponseTo'), id)
  assert.equal(attributeIn(xml, 'saml:SubjectConfirmationData', 'InResponseTo'), id)
  const escaped = ACS.replaceAll('&', '&amp;')
  assert.equal(attributeIn(xml, 'samlp:Response', 'Destination'), escaped)
  assert.equal(attributeIn(xml, 'saml:SubjectConfirmationData', 'Recipient'), escaped)
  assert.equal(valueIn(xml, 'saml:Audience'), SP)
  assert.equal(valueIn(xml, 'saml:NameID'), user.email)
  assert.equal(valueIn(xml, 'saml:Issuer'), `${app.config.publicUrl}${application.url}/metadata`)
  const [from, to] = ['NotBefore', 'NotOnOrAfter'].map((name) =>
    Date.parse(attributeIn(xml, 'saml:Conditions', name)!),
  )
  assert.ok(to! - from! <= 6 * 60_000)

  const [event, another] = await ssoEvents(org)
  assert.equal(another, undefined)
  assert.equal(event!.service, 'sso')
  assert.deepEqual(event!.initiated_by, { type: 'user', id: user.id, username: user.username })
  assert.deepEqual(event!.application, {
    id: application.id,
    name: 'saml2',
    display_label: 'wiki',
    sso_url: application.record.ssoUrl,
  })
  assert.equal(event!.idp_initiated, false)
  assert.equal(event!.success, true)
  assert.equal(event!.mfa, false)
})

test('the page that carries a response runs no script but its own', async () => {
  const { application, person } = await newWorld(app)
  const res = await visit(`${application.url}?${query(authnRequest())}`, person.cookie)
  const policy = String(res.headers['content-security-policy'])
  assert.match(
    policy,
    /^default-src 'none'; style-src 'self'; script-src 'self'; form-action https:\/\/sp\.example\.com https:; base-uri 'none'; frame-ancestors 'none'$/,
  )
  assert.equal(res.headers['cache-control'], 'no-store')
  assert.doesNotMatch(
    res.body,
    /<script(?! src="\/saml2\/assets\/post-form\.js" defer>)|<style| on\w+=/,
  )
  assert.match(res.body, /<button type="submit">/)
  for (const [name, type] of [
    ['post-form.js', 'text/javascript'],
    ['page.css', 'text/css'],
  ]) {
    const asset = await visit(`/saml2/assets/${name}`)
    assert.equal(asset.statusCode, 200)
    assert.match(String(asset.headers['content-type']), new RegExp(type!))
  }
})

test('IdP-initiated: no InResponseTo, and the default RelayState or the given one', async () => {
  const { org, application, person } = await newWorld(app, {
    defaultTargetUrl: 'https://sp.example.com/home',
  })
  const first = responseIn(await visit(application.url, person.cookie))
  assert.equal(first.action, ACS)
  assert.equal(first.relayState, 'https://sp.example.com/home')
  assert.doesNotMatch(first.xml, /InResponseTo/)
  const second = responseIn(await visit(`${application.url}?RelayState=a%26b`, person.cookie))
  assert.equal(second.relayState, 'a&b')
  assert.deepEqual(
    (await ssoEvents(org)).map((event) => event.idp_initiated),
    [true, true],
  )
})

test('with an idpInitUrl the user is redirected to the service provider', async () => {
  const { application, person } = await newWorld(app, {
    idpInitUrl: 'https://sp.example.com/login',
  })
  const res = await visit(application.url, person.cookie)
  assert.equal(res.headers.location, 'https://sp.example.com/login')
})

test('an idpInitUrl whose host only starts with ours is external', async () => {
  const real = await startApp({ env: { GATEHOUSE_PUBLIC_URL: 'https://id.example.com' } })
  const idpInitUrl = 'https://id.example.com.evil.test/login'
  const { application } = await newWorld(real, { idpInitUrl })
  const res = await real.http.inject({ url: application.url })
  assert.equal(res.headers.location, idpInitUrl)
})

test('an idpInitUrl of our own is ignored', async () => {
  const { application, person } = await newWorld(app, {
    idpInitUrl: `${app.config.publicUrl}/saml2/somewhere`,
  })
  assert.equal((await visit(application.url, person.cookie)).statusCode, 200)
})

/** Where the sign-in page would continue to. */
function continueFrom(location: unknown): { path: string; fresh: boolean } {
  const url = new URL(String(location), 'http://localhost')
  assert.equal(url.pathname, '/login')
  return { path: url.searchParams.get('continue')!, fresh: url.searchParams.get('fresh') === '1' }
}

test('a request waits while the user signs in, and is answered once', async () => {
  const { application, user } = await newWorld(app)
  const id = newRequestId()
  const res = await visit(`${application.url}?${query(authnRequest({ id }), 'state')}`)
  assert.equal(res.statusCode, 303)
  const { path, fresh } = continueFrom(res.headers.location)
  assert.match(path, /^\/saml2\/resume\//)
  assert.equal(fresh, false)
  // Coming back without having signed in leads to the sign-in page again.
  assert.equal(continueFrom((await visit(path)).headers.location).path, path)
  const person = await new Person(app.http).enter(user.email)
  const { xml, relayState } = responseIn(await visit(path, person.cookie))
  assert.equal(attributeIn(xml, 'samlp:Response', 'InResponseTo'), id)
  assert.equal(relayState, 'state')
  const again = await visit(path, person.cookie)
  assert.equal(again.statusCode, 400)
  assert.match(again.body, /has expired/)
  // The same request sent directly.
  const replayed = await visit(`${application.url}?${query(authnRequest({ id }))}`, person.cookie)
  assert.equal(replayed.statusCode, 400)
  assert.match(replayed.body, /already been used/)
})

test('a posted request is answered after a redirect, which carries the cookie', async () => {
  const { org, application, person } = await newWorld(app)
  const res = await postTo(application.url, {
    SAMLRequest: base64(authnRequest()),
    RelayState: 'r',
  })
  assert.equal(res.statusCode, 303)
  const path = String(res.headers.location)
  assert.match(path, /^\/saml2\/resume\//)
  const { relayState } = responseIn(await visit(path, person.cookie))
  assert.equal(relayState, 'r')
  assert.equal((await ssoEvents(org)).length, 1)
})

test('ForceAuthn requires a sign-in after the request', async () => {
  const { application, user, person } = await newWorld(app)
  const request = authnRequest({ attributes: 'ForceAuthn="true"' })
  const res = await visit(`${application.url}?${query(request)}`, person.cookie)
  const { path, fresh } = continueFrom(res.headers.location)
  assert.equal(fresh, true)
  assert.equal(continueFrom((await visit(path, person.cookie)).headers.location).fresh, true)
  await person.enter(user.email)
  const { xml } = responseIn(await visit(path, person.cookie))
  assert.equal(valueIn(xml, 'saml:NameID'), user.email)
})

test('IsPassive never shows a page: the service provider gets NoPassive', async () => {
  const { org, application } = await newWorld(app)
  const request = authnRequest({ attributes: 'IsPassive="true"' })
  const { action, xml } = responseIn(await visit(`${application.url}?${query(request, 'r')}`))
  assert.equal(action, ACS)
  assert.deepEqual(statusesIn(xml), ['Responder', 'NoPassive'])
  assert.doesNotMatch(xml, /Assertion/)
  const [event] = await ssoEvents(org)
  assert.equal(event!.success, false)
  assert.match(String(event!.error_message), /^passive/)
})

const errors: [name: string, parts: object, statuses: string[]][] = [
  [
    'a name that cannot be given',
    {
      content: '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos"/>',
    },
    ['Requester', 'InvalidNameIDPolicy'],
  ],
  [
    'a way of signing in that was not used',
    {
      content:
        '<samlp:RequestedAuthnContext><saml:AuthnContextClassRef>https://refeds.org/profile/mfa</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>',
    },
    ['Responder', 'NoAuthnContext'],
  ],
  [
    'another user',
    { content: '<saml:Subject><saml:NameID>bob@example.com</saml:NameID></saml:Subject>' },
    ['Responder', 'UnknownPrincipal'],
  ],
]
for (const [name, parts, statuses] of errors)
  test(`asked for ${name}: a page for the user, or an error for the service provider`, async () => {
    const { application, person } = await newWorld(app)
    const page = await visit(`${application.url}?${query(authnRequest(parts))}`, person.cookie)
    assert.equal(page.statusCode, 400)
    assert.match(String(page.headers['content-type']), /text\/html/)
    assert.doesNotMatch(page.body, /SAMLResponse/)
    const other = await newWorld(app, { spErrorFlow: true, signResponse: true })
    const url = `${other.application.url}?${query(authnRequest(parts), 'r')}`
    const { xml, relayState } = responseIn(await visit(url, other.person.cookie))
    assert.deepEqual(statusesIn(xml), statuses)
    assert.equal(relayState, 'r')
    assert.ok(verifies(xml, other.application.certificate, 'samlp:Response'))
  })

test('an unknown, an inactive and an unbound application give the same answer', async () => {
  const { org, application, person } = await newWorld(app)
  const unbound = await addApplication(org)
  const off = await addApplication(org, {}, { active: false })
  const foreign = await newWorld(app)
  const slugs = [`nothing-${newId()}`, unbound.slug, off.slug, foreign.application.slug]
  const answers = new Set<string>()
  for (const slug of slugs)
    for (const part of ['', `?${query(authnRequest())}`]) {
      const res = await visit(`/saml2/${slug}${part}`, person.cookie)
      assert.equal(res.statusCode, 403, slug)
      answers.add(
        res.body
          .replaceAll(slug, 'SLUG')
          .replace(/resume%2F[^&"]+/, 'SLUG')
          .replace(/Reference: \S+</, ''),
      )
    }
  assert.equal(answers.size, 1)
  const [event] = await ssoEvents(foreign.org)
  assert.deepEqual(event!.initiated_by, { type: 'user' }, 'no data about a user of another tenant')
  assert.equal((await ssoEvents(org)).length, 4)
  assert.equal((await visit(application.url, person.cookie)).statusCode, 200)
})

test('a binding through a group counts like a direct one; unbinding takes effect at once', async () => {
  const { org, application, user, person } = await newWorld(app, {
    includeGroups: true,
    groupsAttributeName: 'teams',
  })
  const group = await addGroup(org, 'R & D', user.id)
  await addGroup(org, 'Not bound', user.id)
  await bind(org, application.id, 'user_group', group)
  await bind(org, application.id, 'user', user.id, 'remove')
  const { xml } = responseIn(await visit(application.url, person.cookie))
  assert.match(
    xml,
    /<saml:Attribute Name="teams"[^>]*><saml:AttributeValue>R &amp; D<\/saml:AttributeValue><\/saml:Attribute>/,
  )
  await bind(org, application.id, 'user_group', group, 'remove')
  assert.equal((await visit(application.url, person.cookie)).statusCode, 403)
})

test('no assertion is issued for users who have since been suspended, locked or deleted', async () => {
  const { org, application, user, person } = await newWorld(app)
  for (const change of [{ suspended: true }, { account_locked: true }]) {
    assert.equal((await visit(application.url, person.cookie)).statusCode, 200)
    assert.equal((await org.put(`/api/systemusers/${user.id}`, change)).statusCode, 200)
    const res = await visit(application.url, person.cookie)
    assert.equal(continueFrom(res.headers.location).path, application.url)
    const back = { suspended: false, account_locked: false, state: 'ACTIVATED' }
    assert.equal((await org.put(`/api/systemusers/${user.id}`, back)).statusCode, 200)
    await person.enter(user.email)
  }
  await org.delete(`/api/systemusers/${user.id}`)
  assert.equal((await visit(application.url, person.cookie)).statusCode, 303)
})

test('attributes: constants, user properties and authentication methods', async () => {
  const { application, person, user } = await newWorld(app, {
    constantAttributes: [{ name: 'region', value: 'eu & us' }],
    databaseAttributes: [
      { name: 'urn:oid:2.5.4.4', value: 'lastname' },
      { name: 'login', value: 'username' },
    ],
    authClaimConfiguration: { sendAmrClaim: { value: true } },
  })
  const { xml } = responseIn(await visit(application.url, person.cookie))
  const found = Object.fromEntries(
    [
      ...xml.matchAll(
        /<saml:Attribute Name="([^"]+)" NameFormat="[^"]+:(\w+)"><saml:AttributeValue>([^<]*)/g,
      ),
    ].map(([, name, format, value]) => [name, [format, value]]),
  )
  assert.deepEqual(found, {
    region: ['unspecified', 'eu &amp; us'],
    'urn:oid:2.5.4.4': ['uri', 'Lovelace'],
    login: ['unspecified', user.username],
    amr: ['unspecified', 'pwd'],
  })
})

test('a value that XML does not allow refuses that sign-in, with the reason', async () => {
  const { org, application, person, user } = await newWorld(app, {
    databaseAttributes: [{ name: 'title', value: 'jobTitle' }],
  })
  await org.put(`/api/systemusers/${user.id}`, { jobTitle: 'bad \u0001' })
  const res = await visit(application.url, person.cookie)
  assert.equal(res.statusCode, 400)
  const [attempt] = await attemptsOf(org, application.id)
  assert.equal(attempt.reason, 'value_missing')
})

test('the debug view shows the last attempts and what was wrong, without personal data', async () => {
  const { org, application, person, user } = await newWorld(app, {
    databaseAttributes: [{ name: 'surname', value: 'lastname' }],
  })
  await visit(`${application.url}?${query(authnRequest({ issuer: 'https://other.example' }))}`)
  await visit(`${application.url}?SAMLRequest=nonsense`)
  await visit(`${application.url}?${query(authnRequest())}`, person.cookie)
  const [good, garbage, wrong] = await attemptsOf(org, application.id)
  assert.equal(wrong.reason, 'issuer_unknown')
  assert.match(
    wrong.explanation,
    /"https:\/\/other\.example".*"https:\/\/sp\.example\.com\/metadata"/,
  )
  assert.match(wrong.request, /^<samlp:AuthnRequest/)
  assert.equal(garbage.reason, 'unreadable')
  assert.equal(garbage.user, null)
  assert.equal(good.success, true)
  assert.deepEqual(good.user, { id: user.id, username: user.username })
  assert.match(good.response, /Name="surname"[^>]*><saml:AttributeValue>\[8 characters\]/)
  assert.doesNotMatch(good.response, /Lovelace|SignatureValue/)

  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const url = `/api/v2/applications/${application.id}/sso/attempts`
  assert.equal((await reader.get(url)).statusCode, 200)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(url)).statusCode, 403)
  assert.equal((await app.anonymous.get(url)).statusCode, 401)
  assert.equal((await (await app.newOrganization()).get(url)).statusCode, 404)
  assert.equal((await org.get('/api/v2/applications/nonsense/sso/attempts')).statusCode, 404)
})

test('the last fifty attempts of an application are shown', async () => {
  const { org, application, person } = await newWorld(app)
  for (let at = 0; at < 55; at++) await visit(application.url, person.cookie)
  const attempts = await attemptsOf(org, application.id)
  assert.equal(attempts.length, 50)
  assert.equal((await ssoEvents(org)).length, 55)
})

test('metadata is public, and the administrator can see who fetched it', async () => {
  const { org, application } = await newWorld(app)
  const res = await visit(`${application.url}/metadata`)
  assert.equal(res.statusCode, 200)
  assert.match(String(res.headers['content-type']), /^application\/samlmetadata\+xml/)
  assert.ok(res.body.includes(`entityID="${app.config.publicUrl}${application.url}/metadata"`))
  const body = application.certificate.replace(/-----[^-]+-----|\s/g, '')
  assert.ok(res.body.includes(`<ds:X509Certificate>${body}</ds:X509Certificate>`))
  assert.equal((await visit('/saml2/nothing/metadata')).statusCode, 404)

  const url = `/api/organizations/${org.organizationId}/applications/${application.id}/metadata.xml`
  const own = await org.get(url)
  assert.equal(own.statusCode, 200)
  assert.equal(own.body, res.body)
  assert.equal((await app.anonymous.get(url)).statusCode, 401)
  assert.equal((await (await app.newOrganization()).get(url)).statusCode, 404)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(url)).statusCode, 403)
})

test('an application that is not set up says so', async () => {
  const org = await app.newOrganization()
  const application = await addApplication(org, { spEntityId: '' })
  const user = await addPerson(org)
  await bind(org, application.id, 'user', user.id)
  const person = await new Person(app.http).enter(user.email)
  const res = await visit(application.url, person.cookie)
  assert.equal(res.statusCode, 400)
  assert.match(res.body, /not set up yet/)
  assert.equal((await attemptsOf(org, application.id))[0].reason, 'not_configured')
})

test('Insights finds attempts by their outcome', async () => {
  const { org, application, person } = await newWorld(app)
  await visit(`${application.url}?${query(authnRequest())}`, person.cookie)
  await visit(`${application.url}?${query(authnRequest({ issuer: 'https://other.example' }))}`)
  const find = async (term: object) => {
    const start_time = new Date(Date.now() - 3_600_000).toISOString()
    const body = { service: ['sso'], start_time, search_term: { and: [term] } }
    const res = await org.post('/insights/directory/v1/events', body)
    assert.equal(res.statusCode, 200, res.body)
    return res.json() as { application: { id: string }; error_message?: string }[]
  }
  assert.equal((await find({ success: true })).length, 1)
  const [refused, more] = await find({ success: false })
  assert.equal(more, undefined)
  assert.match(refused!.error_message!, /^issuer_unknown: /)
  assert.equal((await find({ 'application.id': application.id })).length, 2)
  assert.equal((await find({ idp_initiated: true })).length, 0)
})

test('other methods are not allowed, and HEAD does nothing', async () => {
  const { org, application, person } = await newWorld(app)
  const headers = { cookie: person.cookie }
  for (const method of ['HEAD', 'PUT', 'DELETE'] as const)
    assert.equal((await app.http.inject({ method, url: application.url, headers })).statusCode, 404)
  assert.deepEqual(await ssoEvents(org), [])
})
