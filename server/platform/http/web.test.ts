import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { tempDirectory } from '../../../test/database.ts'
import { startApp } from '../../../test/harness.ts'
import { registerWeb } from './web.ts'

const app = await startApp()

function builtPages(): string {
  const root = tempDirectory()
  mkdirSync(join(root, 'assets'))
  for (const page of ['index.html', 'console.html'])
    writeFileSync(join(root, page), `<meta name="style-nonce" content="STYLE_NONCE">${page}`)
  writeFileSync(join(root, 'favicon.svg'), '<svg/>')
  writeFileSync(join(root, 'assets/index-1a2b.js'), 'start()')
  writeFileSync(join(root, 'assets/index-1a2b.js.gz'), gzipSync('start()'))
  writeFileSync(join(root, 'private.txt'), 'not for others')
  return root
}

test('pages have their own policy, and files are cached for good', async (t) => {
  const http = Fastify()
  t.after(() => http.close())
  await registerWeb(http, builtPages())
  const nonces = new Set<string>()
  const pages = [
    '/',
    '/login?continue=%2F',
    '/password',
    '/security',
    '/console',
    '/console/a/users',
  ]
  for (const url of pages) {
    const { headers, body, statusCode } = await http.inject(url)
    assert.equal(statusCode, 200)
    assert.ok(body.endsWith(url.startsWith('/console') ? 'console.html' : 'index.html'), url)
    assert.equal(headers['cache-control'], 'no-cache')
    const [, nonce = ''] = /content="([\w-]+)"/.exec(body) ?? []
    nonces.add(nonce)
    const policy = String(headers['content-security-policy'])
    assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}'`))
    assert.doesNotMatch(policy, /unsafe/)
  }
  assert.equal(nonces.size, pages.length, 'each response has its own nonce')
  const file = await http.inject({
    url: '/assets/index-1a2b.js',
    headers: { 'accept-encoding': 'gzip' },
  })
  assert.equal(file.headers['content-encoding'], 'gzip')
  assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.match(String(file.headers['content-type']), /javascript/)
  for (const url of ['/assets/../private.txt', '/assets/%2e%2e/private.txt', '/private.txt'])
    assert.ok((await http.inject(url)).statusCode >= 400, url)
})

test('without the built pages one line is logged, and everything else works', async (t) => {
  const lines: string[] = []
  const http = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
  t.after(() => http.close())
  await registerWeb(http, tempDirectory())
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /scripts\/build-web\.mjs/)
  assert.equal((await http.inject('/')).statusCode, 404)
})

test('unknown paths stay JSON errors', async () => {
  for (const url of ['/api/nothing', '/api/v2/nothing', '/nothing', '/assets/nothing.js']) {
    const res = await app.http.inject(url)
    assert.equal(res.statusCode, 404, url)
    assert.equal(res.json().code, 404)
  }
})
