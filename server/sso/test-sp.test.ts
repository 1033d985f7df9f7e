import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { callsOf, formOf, newWorld } from '../../test/sso/world.ts'

const app = await startApp()
const BASE = 'http://localhost:8080/saml2/test-sp'

const show = async (body: string) => {
  const { action, fields } = formOf(body)
  assert.equal(action, `${BASE}/acs`)
  const res = await callsOf(app).postTo('/saml2/test-sp/acs', fields)
  assert.equal(res.statusCode, 200, res.body)
  return res.body
}

test('on one’s own machine there is a service provider that shows what it is told', async () => {
  const { application, person, user } = await newWorld(app, {
    spEntityId: BASE,
    acsUrl: `${BASE}/acs`,
    databaseAttributes: [{ name: 'surname', value: 'lastname' }],
  })
  const page = await app.anonymous.get('/saml2/test-sp')
  assert.equal(page.statusCode, 200)
  assert.ok(page.body.includes(`${BASE}/acs`))
  assert.match((await app.anonymous.get('/saml2/test-sp/metadata')).body, /SPSSODescriptor/)

  const start = await app.anonymous.get(`/saml2/test-sp/start?application=${application.slug}`)
  const { pathname, search } = new URL(String(start.headers.location))
  const headers = { cookie: person.cookie }
  const answer = await app.http.inject({ url: `${pathname}${search}`, headers })
  const shown = await show(answer.body)
  assert.match(shown, /<h1>Signed in<\/h1>/)
  assert.ok(shown.includes(user.email))
  assert.match(shown, /surname<\/th><td>Lovelace/)
  assert.match(shown, /Of the assertion: good/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)

  const passive = `/saml2/test-sp/start?application=${application.slug}&passive=1`
  const asked = new URL(String((await app.anonymous.get(passive)).headers.location))
  const refused = await app.http.inject({ url: `${asked.pathname}${asked.search}` })
  assert.match(await show(refused.body), /Not signed in[\s\S]*NoPassive/)
})

const junk: [name: string, fields: object, words: RegExp][] = [
  ['nothing', {}, /No SAMLResponse has come/],
  ['a number', { SAMLResponse: 7 }, /SAMLResponse/],
  ['no base64', { SAMLResponse: '<>' }, /not base64/],
  ['base64 of junk', { SAMLResponse: 'AAAAAAAA' }, /cannot be inflated/],
  ['base64 of half a tag', { SAMLResponse: Buffer.from('<a').toString('base64') }, /<p>\S/],
]
for (const [name, payload, words] of junk)
  test(`it says so when it gets ${name}`, async () => {
    const res = await app.http.inject({ method: 'POST', url: '/saml2/test-sp/acs', payload })
    assert.equal(res.statusCode, 400)
    assert.match(res.body, /<h1>No response<\/h1>/)
    assert.match(res.body, words)
  })

test('elsewhere there is none', async () => {
  const real = await startApp({ env: { GATEHOUSE_PUBLIC_URL: 'https://id.example.com' } })
  assert.equal((await real.anonymous.get('/saml2/test-sp/metadata')).statusCode, 404)
})
