import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { startApp } from '../../test/harness.ts'
import { sql } from './db/sql.ts'

const app = await startApp({ alone: true })

test('health and readiness answer without a credential', async () => {
  assert.deepEqual((await app.anonymous.get('/healthz')).json(), { status: 'ok' })
  assert.equal((await app.anonymous.get('/readyz')).json().status, 'ready')
})

test('metrics cover requests by route, the pool, the queue, events and the process', async () => {
  const org = await app.newOrganization()
  await org.get(`/api/organizations/${org.organizationId}`)
  await org.post('/api/v2/roles', { name: 'Counted', scopes: ['users'] })
  const { body } = await app.anonymous.get('/metrics')
  assert.match(
    body,
    /gatehouse_http_request_duration_seconds_count\{method="GET",route="\/api\/organizations\/:id",status="200"\} [1-9]/,
  )
  assert.match(body, /gatehouse_database_connections\{state="idle"\}/)
  assert.match(body, /gatehouse_jobs\{queue="platform.send-mail",state="waiting"\} \d/)
  assert.match(body, /gatehouse_jobs_oldest_seconds\{queue="insights.create-partitions"\} \d/)
  assert.match(body, /gatehouse_events_written_total\{service="directory"\} [1-9]/)
  assert.match(body, /process_resident_memory_bytes/)
  assert.doesNotMatch(body, new RegExp(org.organizationId), 'each id would create a series')
})

test('metrics can be protected by a token', async () => {
  const closed = await startApp({ env: { GATEHOUSE_METRICS_TOKEN: 'let me measure this' } })
  const refused = await closed.anonymous.get('/metrics')
  assert.deepEqual([refused.statusCode, refused.json().reason], [401, 'metrics_token'])
  assert.equal(
    (await closed.anonymous.get('/metrics', { authorization: 'Bearer let me measure this' }))
      .statusCode,
    200,
  )
})

test('without a token metrics are local only, unless configured otherwise', async () => {
  const open = await startApp({ env: { GATEHOUSE_METRICS: 'open' } })
  const status = async (
    { http }: typeof app,
    remoteAddress: string,
    headers: Record<string, string> = {},
  ) => (await http.inject({ url: '/metrics', remoteAddress, headers })).statusCode
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
    assert.equal(await status(app, address), 200, address)
    // A proxy on this machine forwards requests of others.
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
      assert.equal(await status(app, address, { [header]: '127.0.0.1' }), 403, header)
  }
  const refused = await app.http.inject({ url: '/metrics', remoteAddress: '10.0.0.7' })
  assert.equal(refused.json().reason, 'metrics_closed')
  for (const address of ['10.0.0.7', '192.0.2.1', '::2', '::ffff:10.0.0.7', '2001:db8::1']) {
    assert.equal(await status(app, address), 403, address)
    assert.equal(await status(open, address), 200, address)
  }
})

test('a mail is sent by a real SMTP server, once, and only after its transaction commits', async () => {
  const received: string[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        // Without the soft line breaks of quoted-printable.
        received.push(text.replaceAll('=\r\n', ''))
        done()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  after(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  const address = smtp.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const mailing = await startApp({
    env: { GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${port}`, GATEHOUSE_MAIL_FROM: 'it@example.com' },
  })
  const org = await mailing.newOrganization()
  await mailing.runDueJobs()
  await mailing.anonymous.post('/auth/password/forgot', { email: org.email })
  await mailing.runDueJobs()
  await mailing.runDueJobs()
  assert.equal(received.length, 1)
  assert.match(received[0]!, new RegExp(`To: ${org.email}`))
  assert.match(received[0]!, /From: it@example.com/)
  assert.match(received[0]!, /console\/password\?token=/)
  const row = await mailing.db.one<{ body: string; sent_at: string | null }>(
    sql`select body, sent_at from mails`,
  )
  assert.notEqual(row?.sent_at, null)
  assert.ok(!row?.body.includes('token='), 'the body is sealed in the database')
})

test('without SMTP the mail is stored, and logged on a development machine', async () => {
  const org = await app.newOrganization()
  await app.anonymous.post('/auth/password/forgot', { email: org.email })
  await app.runDueJobs()
  assert.ok(app.lines.some((line) => line.includes('mail not sent') && line.includes(org.email)))
})

test('while the mail server is down the job is retried and no mail is lost', async () => {
  const away = await startApp({ env: { GATEHOUSE_SMTP_URL: 'smtp://127.0.0.1:1' } })
  const org = await away.newOrganization()
  await away.anonymous.post('/auth/password/forgot', { email: org.email })
  await away.runDueJobs()
  const job = await away.db.one<{ state: string }>(
    sql`select state from pgboss.job where name = 'platform.send-mail'`,
  )
  assert.equal(job?.state, 'retry')
})

test('a lagging event loop sheds load with 503 and recovers', async () => {
  const shedding = await startApp({ env: { GATEHOUSE_SHED_LAG_MS: '100' } })
  // Without a credential the route answers 401, unless load is shed before authentication.
  // The meter samples by its own clock; if it never triggers, the test file times out.
  const until = async (status: number, before = () => {}) => {
    for (;;) {
      before()
      await setImmediate()
      const res = await shedding.anonymous.get('/api/organizations')
      if (res.statusCode === status) return res
    }
  }
  const refused = await until(503, () => {
    for (const end = Date.now() + 1100; Date.now() < end; );
  })
  assert.deepEqual([refused.json().status, refused.json().reason], [503, 'overloaded'])
  assert.ok(Number(refused.headers['retry-after']) > 0)
  await until(401)
})

test('traces are sent by OTLP when the standard variables request it', async () => {
  const bodies: string[] = []
  const collector = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      bodies.push(text)
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  after(() => collector.close())
  const address = collector.address()
  const port = typeof address === 'object' && address ? address.port : 0
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`
  const { startTracing } = await import('./tracing.ts')
  const stop = await startTracing()
  const traced = await startApp()
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  assert.ok(stop)
  await traced.anonymous.get('/healthz', { 'x-request-id': 'traced-request' })
  await stop()
  const sent = bodies.join('')
  assert.match(sent, /GET \/healthz/)
  assert.match(sent, /traced-request/)
  assert.match(sent, /"gatehouse"/)
})
