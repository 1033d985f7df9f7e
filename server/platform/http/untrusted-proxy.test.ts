import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/harness.ts'

type App = Awaited<ReturnType<typeof startApp>>

const ask = (app: App, headers: Record<string, string>, remoteAddress = '10.1.2.3') =>
  app.http.inject({ url: '/auth/users/session', headers, remoteAddress })
const logged = (app: App) => app.lines.filter((line) => line.includes('TRUSTED_PROXIES'))
const health = async (app: App) => (await app.anonymous.get('/healthz')).json()
const metric = async (app: App) =>
  /^gatehouse_untrusted_proxy (\d)$/m.exec((await app.anonymous.get('/metrics')).body)?.[1]

for (const [header, value] of [
  ['x-forwarded-for', '203.0.113.9'],
  ['forwarded', 'for=203.0.113.9'],
  ['x-real-ip', '203.0.113.9'],
])
  test(`an untrusted proxy that sends ${header} is reported once`, async () => {
    const app = await startApp({ alone: true })
    const headers = { [header!]: value! }
    await ask(app, {})
    await ask(app, headers, '9.9.9.9')
    assert.deepEqual(
      await health(app),
      { status: 'ok' },
      'a peer on the public internet is not our proxy',
    )
    assert.equal(await metric(app), '0')
    for (let n = 0; n < 3; n++) await ask(app, headers)
    const { status, warnings } = await health(app)
    assert.equal(status, 'ok')
    assert.equal(warnings.length, 1)
    assert.match(warnings[0], new RegExp(`sends ${header}, .* GATEHOUSE_TRUSTED_PROXIES`))
    assert.equal(logged(app).length, 1)
    assert.equal(await metric(app), '1')
  })

test('a trusted proxy causes no warning; another one does', async () => {
  const app = await startApp({ env: { GATEHOUSE_TRUSTED_PROXIES: '10.1.0.0/16' } })
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  await ask(app, headers)
  assert.deepEqual(await health(app), { status: 'ok' })
  // A client on the proxy's own machine.
  await ask(app, { 'x-forwarded-for': '10.1.2.3' }, '10.1.2.3')
  assert.deepEqual(await health(app), { status: 'ok' })
  await ask(app, headers, '::ffff:192.168.1.1')
  assert.equal((await health(app)).warnings.length, 1)
})
