import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fastify from 'fastify'
import { URNS } from './schemas.ts'
import { mountScimLab } from './serve.ts'

test('another server can serve the lab below a path', async () => {
  const { routes, token, listensAt, store } = await mountScimLab()
  const http = fastify()
  await http.register(routes, { prefix: '/lab' })
  after(() => http.close())
  const page = `${await http.listen({ port: 0, host: '127.0.0.1' })}/lab`
  const base = listensAt(page)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
  const body = JSON.stringify({ schemas: [URNS.user], userName: 'ada' })
  const created = await fetch(`${base}/Users`, { method: 'POST', headers, body })
  assert.equal(created.status, 201)
  const location = created.headers.get('location')!
  assert.ok(location.startsWith(`${page}/scim/v2/Users/`), location)
  assert.equal((await fetch(location, { headers })).status, 200)
  assert.equal((await fetch(`${base}/Users`)).status, 401)
  assert.equal((await fetch(`${base}/Nothing`, { headers })).status, 404)
  // Without the slash, the relative links of the page would lead elsewhere.
  const shown = await fetch(page)
  assert.equal(shown.url, `${page}/`)
  const [, style] = /rel="stylesheet" href="(.+?)"/.exec(await shown.text())!
  assert.equal((await fetch(new URL(style!, shown.url))).status, 200)
  const [id] = store.users.keys()
  const form = new URLSearchParams({ id: id! })
  const removed = await fetch(`${page}/by-hand/delete-user`, { method: 'POST', body: form })
  assert.deepEqual([removed.status, removed.url], [200, `${page}/`])
  assert.equal(store.users.size, 0)
})
