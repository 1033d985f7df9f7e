import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SamlConfig } from '@node-saml/node-saml'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { connect } from './connect.ts'
import { type ProviderOptions, readIdpMetadata, startServiceProvider } from './service-provider.ts'
import { Surfer } from './surfer.ts'
import { addGroup, attemptsOf, base64, bind } from './world.ts'
import { decrypted, verifies } from './xml-programs.ts'

// Single sign-on and logout with an independent service provider over HTTP, connected only by metadata.

const app = await startListening()
const idp = app.base
app.secrets.add(PASSWORD)

type Org = Awaited<ReturnType<typeof app.newOrganization>>

async function newPerson(org: Org) {
  const user = await addPerson(org, { firstname: 'Ada', lastname: 'Lovelace' })
  const surfer = new Surfer({ identifier: user.email, password: PASSWORD })
  return { user, surfer }
}

const MODES: [
  name: string,
  options: ProviderOptions,
  values: object,
  saml?: Partial<SamlConfig>,
][] = [
  ['redirect binding', {}, {}],
  ['POST binding', { binding: 'HTTP-POST' }, {}],
  ['signed requests, redirect', { signs: true }, {}],
  ['signed requests, POST', { signs: true, binding: 'HTTP-POST' }, {}],
  [
    'signed response',
    {},
    { signAssertion: false, signResponse: true },
    { wantAuthnResponseSigned: true, wantAssertionsSigned: false },
  ],
  ['both signed', {}, { signResponse: true }, { wantAuthnResponseSigned: true }],
  ['RSA-SHA512', {}, { signatureAlgorithm: 'RSA-SHA512' }],
  ['encrypted', { encrypts: true }, {}],
  [
    'encrypted and both signed',
    { encrypts: true, signs: true },
    { signResponse: true },
    { wantAuthnResponseSigned: true },
  ],
  [
    'names asked for: e-mail',
    {},
    { subjectField: 'username' },
    { identifierFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' },
  ],
]
for (const [name, options, values, saml = {}] of MODES)
  test(`${name}: both flows end signed in, and xmlsec1 agrees with the service provider`, async () => {
    const org = await app.newOrganization()
    const { user, surfer } = await newPerson(org)
    const databaseAttributes = [{ name: 'surname', value: 'lastname' }]
    const all = {
      includeGroups: true,
      groupsAttributeName: 'groups',
      databaseAttributes,
      ...values,
    }
    const { sp, application } = await connect(idp, org, { ...options, saml }, all)
    const group = await addGroup(org, 'Analysts & Friends', user.id)
    await bind(org, application.id, 'user_group', group)

    const started = await surfer.open(`${sp.origin}/login`)
    assert.equal(started.status, 200, started.body)
    const { profile, relayState } = JSON.parse(started.body)
    assert.equal(profile.nameID, user.email)
    assert.equal(profile.surname, 'Lovelace')
    assert.equal(profile.groups, 'Analysts & Friends')
    assert.equal(relayState, 'the state')

    const opened = await surfer.open(`${idp}${application.url}`)
    assert.equal(opened.url, `${sp.origin}/acs`)
    assert.equal(opened.status, 200, opened.body)

    for (const { fields } of surfer.forms.filter(({ fields }) => fields.SAMLResponse)) {
      const sent = Buffer.from(fields.SAMLResponse!, 'base64').toString()
      const xml = options.encrypts ? decrypted(sent, sp.key.pem) : sent
      const { signAssertion = true, signResponse = false } = values as Record<string, boolean>
      if (signAssertion) assert.ok(verifies(xml, application.certificate, 'saml:Assertion'))
      if (signResponse) assert.ok(verifies(sent, application.certificate, 'samlp:Response'))
    }
    const events = (await org.events()).filter(({ event_type }) => event_type === 'sso_auth')
    assert.deepEqual(
      events.map(({ success, idp_initiated }) => [success, idp_initiated]),
      [
        [true, false],
        [true, true],
      ],
    )
  })

test('with a certificate, unsigned requests and those signed with another key are refused', async () => {
  const org = await app.newOrganization()
  const { user, surfer } = await newPerson(org)
  const { sp, application } = await connect(idp, org, { signs: true })
  await bind(org, application.id, 'user', user.id)
  const unsigned = await startServiceProvider({ saml: { issuer: `${sp.origin}/metadata` } })
  const metadata = await (await fetch(`${idp}${application.url}/metadata`)).text()
  assert.match(metadata, /WantAuthnRequestsSigned="true"/)
  unsigned.trust(readIdpMetadata(metadata), { callbackUrl: `${sp.origin}/acs` })
  const refused = await surfer.open(`${unsigned.origin}/login`)
  assert.equal(refused.status, 400)
  assert.match(refused.body, /is not signed\. Trying again will not help: ask your administrator/)
  const other = await startServiceProvider({
    signs: true,
    saml: { issuer: `${sp.origin}/metadata` },
  })
  other.trust(readIdpMetadata(metadata), { callbackUrl: `${sp.origin}/acs` })
  assert.equal((await surfer.open(`${other.origin}/login`)).status, 400)
  const attempts = await attemptsOf(org, application.id)
  const reasons = attempts.map(({ reason }: { reason: string }) => reason)
  assert.deepEqual(reasons, ['signature_wrong', 'signature_missing'])
})

const decode = (fields: Record<string, string>) =>
  Buffer.from(fields.SAMLResponse!, 'base64').toString()

const NEGATIVES: [
  name: string,
  saml: Partial<SamlConfig>,
  meddle: (xml: string) => string,
  error: RegExp,
][] = [
  ['another audience', { audience: 'https://somebody.else' }, (xml) => xml, /audience mismatch/],
  [
    'a clock that is an hour ahead',
    { acceptedClockSkewMs: -3_600_000 },
    (xml) => xml,
    /No valid subject confirmation/,
  ],
  [
    'another name',
    {},
    (xml) => xml.replace('@example.com</saml:NameID>', '@evil.test</saml:NameID>'),
    /[Ii]nvalid signature/,
  ],
  [
    'another recipient',
    {},
    (xml) => xml.replace(/Recipient="[^"]*"/, 'Recipient="https://evil.test/acs"'),
    /[Ii]nvalid signature/,
  ],
  [
    'a longer life',
    {},
    (xml) => xml.replace(/NotOnOrAfter="\d{4}/g, 'NotOnOrAfter="2999'),
    /[Ii]nvalid signature/,
  ],
  [
    'no signature',
    {},
    (xml) => xml.replace(/<ds:Signature [\s\S]*<\/ds:Signature>/, ''),
    /[Ii]nvalid signature/,
  ],
  [
    'another request',
    {},
    (xml) => xml.replaceAll(/InResponseTo="[^"]*"/g, 'InResponseTo="_other"'),
    /InResponseTo is not valid|[Ii]nvalid signature/,
  ],
]
for (const [name, saml, meddle, error] of NEGATIVES)
  test(`the service provider refuses ${name}`, async () => {
    const org = await app.newOrganization()
    const { user, surfer } = await newPerson(org)
    const { sp, application } = await connect(idp, org, { saml })
    await bind(org, application.id, 'user', user.id)
    surfer.meddle = ({ fields }) => {
      if (fields.SAMLResponse) fields.SAMLResponse = base64(meddle(decode(fields)))
    }
    const { status, body } = await surfer.open(`${sp.origin}/login`)
    assert.equal(status, 403, body)
    assert.match(JSON.parse(body).error, error)
  })

test('a response is valid once, and only for the service provider that asked', async () => {
  const org = await app.newOrganization()
  const { user, surfer } = await newPerson(org)
  const { sp, application } = await connect(idp, org)
  await bind(org, application.id, 'user', user.id)
  await surfer.open(`${sp.origin}/login`)
  const { fields } = surfer.forms.at(-1)!
  const again = await fetch(`${sp.origin}/acs`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  assert.equal(again.status, 403)
  const other = await connect(idp, org)
  const elsewhere = await fetch(`${other.sp.origin}/acs`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  assert.equal(elsewhere.status, 403)
})

test('the error flow: the service provider gets the reason instead of an assertion', async () => {
  const org = await app.newOrganization()
  const { surfer } = await newPerson(org)
  const { sp } = await connect(idp, org, {}, { spErrorFlow: true, signResponse: true })
  const { status, body } = await surfer.open(`${sp.origin}/login`)
  assert.equal(status, 403)
  assert.match(JSON.parse(body).error, /RequestDenied|denied/i)
})

for (const signs of [true, false])
  test(`logout started at one service provider reaches the other, ${signs ? 'signed' : 'unsigned'}`, async () => {
    const org = await app.newOrganization()
    const { user, surfer } = await newPerson(org)
    const first = await connect(idp, org, { signs })
    const second = await connect(idp, org, { signs })
    for (const { application, sp } of [first, second]) {
      await bind(org, application.id, 'user', user.id)
      assert.equal((await surfer.open(`${sp.origin}/login`)).status, 200)
    }
    const { url, body } = await surfer.open(`${first.sp.origin}/logout`)
    assert.match(url, new RegExp(`^${first.sp.origin}/slo`))
    assert.deepEqual(JSON.parse(body), { loggedOut: true })
    assert.deepEqual([first.sp.state.loggedOut, second.sp.state.loggedOut], [1, 1])
    // The portal session is over: the next visit leads to sign-in, which the surfer completes.
    const before = (await org.events()).filter(
      ({ event_type }) => event_type === 'user_login_attempt',
    )
    assert.equal((await surfer.open(`${second.sp.origin}/login`)).status, 200)
    const after = (await org.events()).filter(
      ({ event_type }) => event_type === 'user_login_attempt',
    )
    assert.equal(after.length, before.length + 1)
  })
