import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'

const app = await startApp()
type Org = Awaited<ReturnType<typeof app.newOrganization>>

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const GIF = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(32)])

async function newApplication(org: Org): Promise<string> {
  const res = await org.post('/api/applications', {
    name: 'bookmark',
    displayLabel: 'Wiki',
    ssoUrl: 'https://wiki.example.com',
  })
  return res.json().id
}

const BOUNDARY = 'boundary'
const part = (name: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ])
const upload = (org: Pick<Org, 'post'>, id: string, ...parts: Buffer[]) =>
  org.post(
    `/api/v2/applications/${id}/logo`,
    Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  )
const logoOf = async (org: Org, id: string): Promise<string> =>
  (await org.get(`/api/applications/${id}`)).json().logo.url

test('a logo is public, under a URL that changes with it', async () => {
  const org = await app.newOrganization()
  const id = await newApplication(org)
  assert.equal(await logoOf(org, id), '')
  const seen = new Set<string>()
  for (const [image, type] of [
    [PNG, 'image/png'],
    [GIF, 'image/gif'],
    [JPEG, 'image/jpeg'],
  ] as const) {
    // The content type sent by the client is ignored.
    assert.equal((await upload(org, id, part('image', image))).statusCode, 204)
    const url = new URL(await logoOf(org, id))
    const res = await app.anonymous.get(url.pathname)
    assert.equal(res.statusCode, 200)
    assert.equal(res.headers['content-type'], type)
    assert.match(String(res.headers['cache-control']), /immutable/)
    assert.ok(res.rawPayload.equals(image))
    for (const before of seen) assert.equal((await app.anonymous.get(before)).statusCode, 404)
    seen.add(url.pathname)
  }
  assert.equal(seen.size, 3)
  assert.equal((await org.get(`/api/v2/applications/${id}`)).json().logo.url, await logoOf(org, id))
  assert.equal((await org.delete(`/api/v2/applications/${id}/logo`)).statusCode, 204)
  assert.equal(await logoOf(org, id), '')
  // Deleting a missing logo is not an error.
  assert.equal((await org.delete(`/api/v2/applications/${id}/logo`)).statusCode, 204)
  assert.deepEqual(await org.eventTypes(), [
    'application_create',
    ...Array(4).fill('application_update'),
  ])
})

test('a logo survives a full replace of its application', async () => {
  const org = await app.newOrganization()
  const id = await newApplication(org)
  await upload(org, id, part('image', PNG))
  const url = await logoOf(org, id)
  await org.put(`/api/applications/${id}`, { ssoUrl: 'https://other.example.com' })
  assert.equal(await logoOf(org, id), url)
})

test('a file that is not an image, too large or missing is refused', async () => {
  const org = await app.newOrganization()
  const id = await newApplication(org)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  const cases: [string, Buffer[], number][] = [
    ['svg', [part('image', svg)], 400],
    ['html', [part('image', Buffer.from('<html>'))], 400],
    ['nothing', [part('image', Buffer.alloc(0))], 400],
    ['another part', [part('picture', PNG)], 400],
    ['no part', [], 400],
    [
      'too large',
      [part('image', Buffer.concat([PNG, Buffer.alloc(app.config.limits.forms.logoBytes)]))],
      413,
    ],
  ]
  for (const [name, parts, status] of cases) {
    const res = await upload(org, id, ...parts)
    assert.equal(res.statusCode, status, `${name}: ${res.body}`)
  }
  const json = await org.post(`/api/v2/applications/${id}/logo`, { image: 'x' })
  assert.equal(json.statusCode, 400)
  assert.equal(await logoOf(org, id), '')
  for (const missing of ['nothing', newId()])
    assert.equal((await app.anonymous.get(`/api/v2/logos/${missing}`)).statusCode, 404)
})

test('a malformed form is refused', async () => {
  const org = await app.newOrganization()
  const id = await newApplication(org)
  const whole = Buffer.concat([part('image', PNG), Buffer.from(`--${BOUNDARY}--\r\n`)])
  const long = 'b'.repeat(5000)
  const cases: [type: string, body: Buffer][] = [
    ['multipart/form-data', whole],
    ['multipart/form-data; boundary=', whole],
    ['multipart/form-data; boundary=""', whole],
    ['multipart/form-data; boundary=another', whole],
    [`multipart/form-data; boundary=${long}`, whole],
    [`multipart/form-data; boundary=${long}`, Buffer.from(`--${long}\r\n\r\n--${long}--`)],
    [`multipart/form-data; boundary=${BOUNDARY}`, whole.subarray(0, 60)],
    [`multipart/form-data; boundary=${BOUNDARY}`, part('image', PNG)],
    [`multipart/form-data; boundary=${BOUNDARY}`, Buffer.alloc(0)],
    [`multipart/form-data; boundary=${BOUNDARY}`, part('__proto__', PNG)],
    [`multipart/mixed; boundary=${BOUNDARY}`, whole],
  ]
  for (const [type, body] of cases) {
    const res = await org.post(`/api/v2/applications/${id}/logo`, body, { 'content-type': type })
    const where = `${type.slice(0, 60)} ${body.length}: ${res.statusCode} ${res.body}`
    assert.ok([400, 415].includes(res.statusCode), where)
    assert.equal(res.json().status, 'INVALID_ARGUMENT', where)
  }
  const cut = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const res = await org.post(`/api/v2/applications/${id}/logo`, whole.subarray(0, 60), cut)
  assert.deepEqual([res.statusCode, res.json().reason], [400, 'bad_form'])
  assert.equal(await logoOf(org, id), '')
})

test('setting a logo requires the update scope', async () => {
  const org = await app.newOrganization()
  const id = await newApplication(org)
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const other = await app.newOrganization()
  assert.equal((await upload(reader, id, part('image', PNG))).statusCode, 403)
  assert.equal((await upload(other, id, part('image', PNG))).statusCode, 404)
  assert.equal((await other.delete(`/api/v2/applications/${id}/logo`)).statusCode, 404)
  assert.equal((await reader.delete(`/api/v2/applications/${id}/logo`)).statusCode, 403)
})
