import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { freePort } from '../../test/free-port.ts'
import { startListening } from '../../test/listening.ts'
import { formOf, newWorld } from '../../test/sso/world.ts'
import { serveSp } from './serve.ts'

const app = await startListening()
const { sp, close } = await serveSp({ port: await freePort(), idp: app.base })
after(close)

const start = async (query: string) => {
  const answer = await fetch(`${sp}/start?${query}`, { redirect: 'manual' })
  assert.equal(answer.status, 303)
  return String(answer.headers.get('location'))
}
const submit = (fields: Record<string, string>) =>
  fetch(`${sp}/acs`, { method: 'POST', body: new URLSearchParams(fields) })
const show = async (body: string) => {
  const { action, fields } = formOf(body)
  assert.equal(action, `${sp}/acs`)
  const answer = await submit(fields)
  assert.equal(answer.status, 200)
  return answer.text()
}

test('the service provider shows what an application receives, and checks the signature', async () => {
  const { application, person, user } = await newWorld(app, {
    spEntityId: sp,
    acsUrl: `${sp}/acs`,
    databaseAttributes: [{ name: 'surname', value: 'lastname' }],
  })
  const page = await fetch(sp)
  assert.equal(page.status, 200)
  const policy = String(page.headers.get('content-security-policy'))
  assert.match(policy, /default-src 'none'/)
  assert.ok(policy.includes(`form-action 'self' ${app.base};`), policy)
  assert.ok((await page.text()).includes(`${sp}/acs`))
  assert.equal((await fetch(`${sp}/saml2/assets/page.css`)).status, 200)
  assert.match(await (await fetch(`${sp}/metadata`)).text(), /SPSSODescriptor/)

  const headers = { cookie: person.cookie }
  const answer = await fetch(await start(`application=${application.slug}`), { headers })
  const shown = await show(await answer.text())
  assert.match(shown, /<h1>Signed in<\/h1>/)
  assert.ok(shown.includes(user.email))
  assert.match(shown, /surname<\/th><td>Lovelace/)
  assert.match(shown, /On the assertion: valid/)

  const refused = await fetch(await start(`application=${application.slug}&passive=1`))
  assert.match(await show(await refused.text()), /Not signed in[\s\S]*NoPassive/)
})

const junk: [name: string, fields: Record<string, string>, words: RegExp][] = [
  ['nothing', {}, /has no SAMLResponse/],
  ['a number', { SAMLResponse: '7' }, /<p>\S/],
  ['no base64', { SAMLResponse: '<>' }, /not valid base64/],
  ['base64 of junk', { SAMLResponse: 'AAAAAAAA' }, /cannot be inflated/],
  ['base64 of half a tag', { SAMLResponse: Buffer.from('<a').toString('base64') }, /<p>\S/],
]
for (const [name, fields, words] of junk)
  test(`it reports an error for ${name}`, async () => {
    const answer = await submit(fields)
    assert.equal(answer.status, 400)
    const body = await answer.text()
    assert.match(body, /<h1>No response<\/h1>/)
    assert.match(body, words)
  })
