import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { startEndpoint } from '../../test/endpoint.ts'
import { type Response, startApp } from '../../test/harness.ts'
import { PASSWORD, Person } from '../../test/person.ts'
import { verifies } from '../../test/sso/verifies.ts'
import {
  addApplication,
  attemptsOf,
  attributeIn,
  base64,
  bind,
  callsOf,
  formOf,
  newRequestId,
  newWorld,
  query,
  responseIn,
  SP,
  statusesIn,
  valueIn,
} from '../../test/sso/world.ts'
import { sql } from '../platform/db/sql.ts'

// Logout by messages alone; test/sso runs it with a real service provider.

const app = await startApp()
app.secrets.add(PASSWORD)
const SLO = 'https://sp.example.com/slo'

const { visit, postTo } = callsOf(app)

/** The message in a redirect. */
function messageIn(location: unknown) {
  const url = new URL(String(location))
  const parameter = url.searchParams.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse'
  const xml = inflateRawSync(Buffer.from(url.searchParams.get(parameter)!, 'base64')).toString()
  return {
    parameter,
    xml,
    to: url.origin + url.pathname,
    relayState: url.searchParams.get('RelayState'),
  }
}

const SPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'
interface Parts {
  id?: string
  nameId: string
  sessionIndex?: string
  attributes?: string
}
const logoutRequest = ({ id = newRequestId(), nameId, sessionIndex, attributes = '' }: Parts) =>
  `<samlp:LogoutRequest ${SPACES} ID="${id}" Version="2.0" IssueInstant="${new Date().toISOString()}" ${attributes}><saml:Issuer>${SP}</saml:Issuer><saml:NameID>${nameId}</saml:NameID>${sessionIndex ? `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>` : ''}</samlp:LogoutRequest>`
const logoutResponse = (inResponseTo: string, status = 'Success') =>
  `<samlp:LogoutResponse ${SPACES} ID="${newRequestId()}" Version="2.0" IssueInstant="${new Date().toISOString()}" InResponseTo="${inResponseTo}"><saml:Issuer>${SP}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status></samlp:LogoutResponse>`

/** Signs on to the application, which joins the session. */
async function enter({ url }: { url: string }, person: Person): Promise<string> {
  const { xml } = responseIn(await visit(url, person.cookie))
  return attributeIn(xml, 'saml:AuthnStatement', 'SessionIndex')!
}

/** A user signed in to two applications. */
async function twoApplications(values: object = {}) {
  const world = await newWorld(app, { sloUrl: SLO, ...values })
  const { org, user, person, application } = world
  const other = await addApplication(org, { sloUrl: 'https://sp.example.com/other/slo' })
  await bind(org, other.id, 'user', user.id)
  const sessionIndex = await enter(application, person)
  await enter(other, person)
  return { ...world, other, sessionIndex }
}
const isSignedIn = async (person: Person, url: string) =>
  (await visit(url, person.cookie)).statusCode === 200

/** The logout page: its frames, and the addresses that its script uses. */
async function pageOf(location: unknown) {
  const res = await visit(String(location))
  assert.equal(res.statusCode, 200)
  const path = /data-path="([^"]*)"/.exec(res.body)![1]!
  return {
    frames: [...res.body.matchAll(/<iframe src="([^"]*)"/g)].map(([, src]) => src!),
    done: `${path}/done`,
    states: async () =>
      ((await visit(`${path}/states`)).json() as { state: string }[]).map(({ state }) => state),
  }
}

test('SP-initiated logout: the session ends, the other applications log out, then the response is sent', async () => {
  const { application, other, user, person, sessionIndex } = await twoApplications()
  const id = newRequestId()
  const request = logoutRequest({ id, nameId: user.email, sessionIndex })
  const first = await visit(`${application.url}/logout?${query(request, 'back')}`, person.cookie)
  assert.equal(await isSignedIn(person, application.url), false)

  const page = await pageOf(first.headers.location)
  assert.equal(page.frames.length, 1)
  const toOther = messageIn((await visit(page.frames[0]!)).headers.location)
  assert.equal(toOther.parameter, 'SAMLRequest')
  assert.equal(toOther.to, 'https://sp.example.com/other/slo')
  assert.equal(valueIn(toOther.xml, 'saml:NameID'), user.email)
  assert.notEqual(valueIn(toOther.xml, 'samlp:SessionIndex'), sessionIndex, 'per application')
  const asked = attributeIn(toOther.xml, 'samlp:LogoutRequest', 'ID')!

  const answer = query(logoutResponse(asked), toOther.relayState!, 'SAMLResponse')
  assert.deepEqual(await page.states(), ['waiting'])
  const inFrame = await visit(`${other.url}/logout?${answer}`)
  assert.match(String(inFrame.headers['content-security-policy']), /frame-ancestors 'self'/)
  assert.equal(inFrame.headers['x-frame-options'], 'SAMEORIGIN')
  assert.deepEqual(await page.states(), ['done'])
  const final = messageIn((await visit(page.done)).headers.location)
  assert.equal(final.to, SLO)
  assert.equal(final.relayState, 'back')
  assert.equal(attributeIn(final.xml, 'samlp:LogoutResponse', 'InResponseTo'), id)
  assert.deepEqual(statusesIn(final.xml), ['Success'])
})

test('an application that fails to sign out makes it a partial logout, which our page shows first', async () => {
  const { application, other, user, person, sessionIndex } = await twoApplications()
  const request = logoutRequest({ nameId: user.email, sessionIndex })
  const first = await visit(`${application.url}/logout?${query(request)}`, person.cookie)
  const page = await pageOf(first.headers.location)
  const { xml, relayState } = messageIn((await visit(page.frames[0]!)).headers.location)
  // One that does not respond at all counts the same.
  const { body } = await visit(page.done)
  assert.match(body, /may still be signed in to:.*Sign out there/s)
  const [, back] = /<a class="button" href="([^"]*)">Go back/.exec(body)!
  const early = messageIn((await visit(back!)).headers.location)
  // The first status is Success: service providers show errors otherwise, as they did sign out.
  assert.deepEqual(statusesIn(early.xml), ['Success', 'PartialLogout'])
  const asked = attributeIn(xml, 'samlp:LogoutRequest', 'ID')!
  const answer = query(logoutResponse(asked, 'Responder'), relayState!, 'SAMLResponse')
  await visit(`${other.url}/logout?${answer}`)
  assert.deepEqual(await page.states(), ['failed'])
  const final = messageIn((await visit(back!)).headers.location)
  assert.deepEqual(statusesIn(final.xml), ['Success', 'PartialLogout'])
})

test('POST binding: the browser returns with its cookie, and the response is a form too', async () => {
  const { application, user, person } = await newWorld(app, { sloUrl: SLO })
  const sessionIndex = await enter(application, person)
  const xmlSent = logoutRequest({ nameId: user.email, sessionIndex })
  const res = await postTo(`${application.url}/logout`, { SAMLRequest: base64(xmlSent) })
  assert.equal(res.statusCode, 303)
  const { action, xml } = responseIn(await visit(String(res.headers.location), person.cookie))
  assert.equal(action, SLO)
  assert.ok(verifies(xml, application.certificate, 'samlp:LogoutResponse'))
  assert.deepEqual(statusesIn(xml), ['Success'])
  assert.equal(await isSignedIn(person, application.url), false)
})

const posted = (res: Response) => {
  const { action, fields } = formOf(res.body)
  const parameter = 'SAMLRequest' in fields ? 'SAMLRequest' : 'SAMLResponse'
  const xml = Buffer.from(fields[parameter]!, 'base64').toString()
  return { action, parameter, xml, relayState: fields.RelayState }
}

test('an application with the POST binding gets requests and responses as forms, each at its own address', async () => {
  const { application, user, person } = await newWorld(app, {
    sloUrl: SLO,
    sloResponseUrl: `${SLO}/done`,
    sloBinding: 'HTTP-POST',
  })
  const sessionIndex = await enter(application, person)
  const request = logoutRequest({ nameId: user.email, sessionIndex })
  const answer = posted(await visit(`${application.url}/logout?${query(request)}`, person.cookie))
  assert.equal(answer.parameter, 'SAMLResponse')
  assert.equal(answer.action, `${SLO}/done`)
  assert.equal(attributeIn(answer.xml, 'samlp:LogoutResponse', 'Destination'), `${SLO}/done`)
  assert.ok(verifies(answer.xml, application.certificate, 'samlp:LogoutResponse'))

  const again = await new Person(app.http).enter(user.email)
  await enter(application, again)
  const { continueTo } = (await again.post('/sign-out')).json()
  const inFrame = await visit((await pageOf(continueTo)).frames[0]!)
  assert.match(String(inFrame.headers['content-security-policy']), /frame-ancestors 'self'/)
  const asked = posted(inFrame)
  assert.equal(asked.parameter, 'SAMLRequest')
  assert.equal(asked.action, SLO)
  assert.ok(verifies(asked.xml, application.certificate, 'samlp:LogoutRequest'))
  assert.ok(asked.relayState)
})

test('an application with the redirect binding gets a redirect, whichever binding it used', async () => {
  const { application, user, person } = await newWorld(app, {
    sloUrl: SLO,
    sloBinding: 'HTTP-Redirect',
  })
  const sessionIndex = await enter(application, person)
  const xml = logoutRequest({ nameId: user.email, sessionIndex })
  const res = await postTo(`${application.url}/logout`, { SAMLRequest: base64(xml) })
  const answer = await visit(String(res.headers.location), person.cookie)
  assert.equal(messageIn(answer.headers.location).to, SLO)
})

test('signing out in the portal logs out of every application, and names those without a logout URL', async () => {
  const { org, user, other, application, person } = await twoApplications()
  const silent = await addApplication(org, {}, { displayLabel: 'Silent <b>' })
  await bind(org, silent.id, 'user', user.id)
  await visit(silent.url, person.cookie)
  const { continueTo } = (await person.post('/sign-out')).json()
  assert.match(continueTo, /^\/logout\//)
  const page = await pageOf(continueTo)
  const told: string[] = []
  for (const [at, { url }] of [application, other].entries()) {
    const { to, xml, relayState } = messageIn((await visit(page.frames[at]!)).headers.location)
    told.push(to)
    const asked = attributeIn(xml, 'samlp:LogoutRequest', 'ID')!
    await visit(`${url}/logout?${query(logoutResponse(asked), relayState!, 'SAMLResponse')}`)
  }
  assert.deepEqual(told, [SLO, 'https://sp.example.com/other/slo'])
  assert.deepEqual(await page.states(), ['done', 'done', 'failed'])
  const result = await visit(page.done)
  assert.equal(result.statusCode, 200)
  assert.match(result.body, /may still be signed in to:.*Silent &lt;b&gt;/s)
  assert.doesNotMatch(result.body, /Wiki/)
})

test('an application that does not respond is named, with a way to sign out there', async () => {
  const { other, application, person } = await twoApplications()
  const { continueTo } = (await person.post('/sign-out')).json()
  const page = await pageOf(continueTo)
  const { xml, relayState } = messageIn((await visit(page.frames[1]!)).headers.location)
  const asked = attributeIn(xml, 'samlp:LogoutRequest', 'ID')!
  const answer = query(logoutResponse(asked), relayState!, 'SAMLResponse')
  await visit(`${other.url}/logout?${answer}`)
  assert.deepEqual(await page.states(), ['waiting', 'done'])
  const { body } = await visit(page.done)
  const [, link] = /<a href="([^"]*)" target="_blank"/.exec(body)!
  const byHand = messageIn((await visit(link!)).headers.location)
  assert.equal(byHand.to, SLO)
  const again = attributeIn(byHand.xml, 'samlp:LogoutRequest', 'ID')!
  const late = query(logoutResponse(again), byHand.relayState!, 'SAMLResponse')
  assert.match((await visit(`${application.url}/logout?${late}`)).body, /signed out of Wiki/)
  assert.match((await visit(page.done)).body, /signed out here and in your applications/)
})

test('a user who has used no application is signed out directly', async () => {
  const { person } = await newWorld(app)
  assert.equal((await person.post('/sign-out')).json().continueTo, null)
})

test('a logout request for another user ends nothing', async () => {
  const { org, application, person, user, sessionIndex } = await twoApplications()
  for (const parts of [
    { nameId: 'bob@example.com', sessionIndex },
    { nameId: user.email, sessionIndex: '_another' },
    // Without a signature, anyone who knows the name may have sent it.
    { nameId: user.email },
  ]) {
    const url = `${application.url}/logout?${query(logoutRequest(parts))}`
    const { xml } = messageIn((await visit(url, person.cookie)).headers.location)
    assert.deepEqual(statusesIn(xml), ['Requester', 'UnknownPrincipal'])
  }
  assert.equal(await isSignedIn(person, application.url), true)
  const kinds = (await attemptsOf(org, application.id)).map(
    ({ kind, reason }: { kind: string; reason: string }) => `${kind} ${reason}`,
  )
  assert.deepEqual(kinds.slice(1, 4), Array(3).fill('logout no_session'))
})

test('without a session there is nothing to end, and the response is a success', async () => {
  const { application, user } = await newWorld(app, { sloUrl: SLO })
  const url = `${application.url}/logout?${query(logoutRequest({ nameId: user.email }))}`
  const { xml } = messageIn((await visit(url)).headers.location)
  assert.deepEqual(statusesIn(xml), ['Success'])
})

test('an application without a logout address gets a page', async () => {
  const { application, user, person } = await newWorld(app)
  const sessionIndex = await enter(application, person)
  const request = logoutRequest({ nameId: user.email, sessionIndex })
  const url = `${application.url}/logout?${query(request)}`
  const res = await visit(url, person.cookie)
  assert.equal(res.statusCode, 200)
  assert.match(res.body, /You are signed out/)
})

const bad: [name: string, change: (xml: string) => string, reason: string][] = [
  ['another issuer', (xml) => xml.replace(SP, 'https://evil.test'), 'issuer_unknown'],
  [
    'an old one',
    (xml) => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2020-01-01T00:00:00Z"'),
    'stale',
  ],
  [
    'one that has run out',
    (xml) => xml.replace(' ID=', ' NotOnOrAfter="2020-01-01T00:00:00Z" ID='),
    'stale',
  ],
  [
    'another destination',
    (xml) => xml.replace(' ID=', ' Destination="https://evil.test" ID='),
    'destination_wrong',
  ],
  ['another message', (xml) => xml.replaceAll('LogoutRequest', 'AuthnRequest'), 'wrong_message'],
]
for (const [name, change, reason] of bad)
  test(`a logout request is refused: ${name}`, async () => {
    const { org, application, user, person } = await newWorld(app, { sloUrl: SLO })
    await visit(application.url, person.cookie)
    const xml = change(logoutRequest({ nameId: user.email }))
    const res = await visit(`${application.url}/logout?${query(xml)}`, person.cookie)
    assert.equal(res.statusCode, 400)
    assert.equal(await isSignedIn(person, application.url), true)
    assert.equal((await attemptsOf(org, application.id))[1].reason, reason)
  })

test('an unsolicited response is refused; without a logout in progress it ends on a page', async () => {
  const { application, other, user, person, sessionIndex } = await twoApplications()
  const request = logoutRequest({ nameId: user.email, sessionIndex })
  const first = await visit(`${application.url}/logout?${query(request)}`, person.cookie)
  const page = await pageOf(first.headers.location)
  const { relayState } = messageIn((await visit(page.frames[0]!)).headers.location)
  const wrong = query(logoutResponse('_other'), relayState!, 'SAMLResponse')
  assert.equal((await visit(`${other.url}/logout?${wrong}`)).statusCode, 400)
  const lost = query(logoutResponse('_other'), 'nothing', 'SAMLResponse')
  assert.equal((await visit(`${other.url}/logout?${lost}`)).statusCode, 200)
  assert.equal((await visit(`/saml2/nothing/logout?${lost}`)).statusCode, 403)
  assert.equal((await visit(`${other.url}/logout`)).statusCode, 400)
})

const SOAP = (response: string) =>
  `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${response}</soap:Body></soap:Envelope>`

test('an application with a SOAP address is told by a job; if that fails, by the browser', async () => {
  const heard: string[] = []
  let answers: (request: string) => string | undefined = (xml) =>
    SOAP(logoutResponse(attributeIn(xml, 'samlp:LogoutRequest', 'ID')!))
  const sloSoapUrl = await startEndpoint((xml) => {
    heard.push(xml)
    return answers(xml)
  })
  const { application, user, person } = await newWorld(app, { sloUrl: SLO, sloSoapUrl })
  await enter(application, person)
  const first = await pageOf((await person.post('/sign-out')).json().continueTo)
  assert.deepEqual(first.frames, [])
  await app.runDueJobs()
  assert.deepEqual(await first.states(), ['done'])
  const [envelope] = heard
  const body = /<soap:Body>(.*)<\/soap:Body>/s.exec(envelope!)![1]!
  assert.ok(verifies(body, application.certificate, 'samlp:LogoutRequest'))
  assert.equal(valueIn(body, 'saml:NameID'), user.email)

  const refusals: (typeof answers)[] = [
    () => undefined,
    () => 'no XML',
    (xml) => SOAP(logoutResponse(attributeIn(xml, 'samlp:LogoutRequest', 'ID')!, 'Responder')),
    () => SOAP(logoutResponse('_another')),
  ]
  for (answers of refusals) {
    const again = await new Person(app.http).enter(user.email)
    await enter(application, again)
    const page = await pageOf((await again.post('/sign-out')).json().continueTo)
    await app.runDueJobs()
    assert.deepEqual(await page.states(), ['waiting'])
    const frame = page.done.replace(/done$/, '0')
    assert.equal(messageIn((await visit(frame)).headers.location).to, SLO)
  }
})

test('an application with nothing but a SOAP address is named if it does not confirm', async () => {
  const sloSoapUrl = await startEndpoint(() => undefined)
  const { application, person } = await newWorld(app, { sloSoapUrl })
  await enter(application, person)
  const page = await pageOf((await person.post('/sign-out')).json().continueTo)
  await app.runDueJobs()
  assert.deepEqual(await page.states(), ['failed'])
  assert.match((await visit(page.done)).body, /may still be signed in to:.*Wiki.*Not reached/s)
})

test('by SOAP also when a session ends without its browser, and retried until it is confirmed', async () => {
  const heard: string[] = []
  let confirms = true
  const sloSoapUrl = await startEndpoint((xml) => {
    heard.push(xml)
    return confirms
      ? SOAP(logoutResponse(attributeIn(xml, 'samlp:LogoutRequest', 'ID')!))
      : undefined
  })
  // A logout URL for browsers is of no use here: there is no browser.
  const { org, application, user, person } = await newWorld(app, { sloUrl: SLO, sloSoapUrl })
  const told = () => heard.splice(0).map((xml) => valueIn(xml, 'samlp:SessionIndex'))

  const first = await enter(application, person)
  const elsewhere = await new Person(app.http).enter(user.email)
  const second = await enter(application, elsewhere)
  assert.equal((await elsewhere.delete('/sessions')).statusCode, 200)
  await app.runDueJobs()
  assert.deepEqual(told(), [first])

  await org.put(`/api/systemusers/${user.id}`, { password: 'Painted-Harbour-71' })
  await app.runDueJobs()
  assert.deepEqual(told(), [second])

  confirms = false
  const again = await new Person(app.http).enter(user.email, 'Painted-Harbour-71')
  const third = await enter(application, again)
  await org.put(`/api/systemusers/${user.id}`, { state: 'SUSPENDED' })
  await app.runDueJobs()
  assert.deepEqual(told(), [third])
  const jobs = await app.db.many<{ state: string }>(sql`
    select state from pgboss.job
     where name = 'sso.soap-logout' and data->>'organizationId' = ${org.organizationId} order by created_on`)
  assert.deepEqual(
    jobs.map(({ state }) => state),
    ['completed', 'completed', 'retry'],
  )
})
