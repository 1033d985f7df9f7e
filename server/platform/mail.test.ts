import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { startApp } from '../../test/harness.ts'
import { addUser, person } from '../../test/people.ts'
import { sql } from './db/sql.ts'
import { listMails, sendKept } from './mail.ts'

const app = await startApp({ alone: true })

interface Received {
  to: string
  text: string
}

/** A mail server, and the service with it on the same database, as after a restart with the new setting. */
async function withMailServer() {
  const received: Received[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        const decoded = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
        received.push({ to: envelope.rcptTo[0]!.address, text: decoded })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  after(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  const { port } = smtp.server.address() as { port: number }
  const { owner, service, sealer } = app
  const mailing = await startApp({
    env: { GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${port}` },
    beside: { owner, service, sealer },
  })
  return { received, mailing }
}

const stateOf = async (recipient: string) =>
  (await listMails(app.db, app.sealer, 1000)).find((mail) => mail.recipient === recipient)?.state
const runOut = (recipient: string) =>
  app.db.run(sql`
    update mails set link = jsonb_set(link, '{expiresAt}', '"2020-01-01T00:00:00.000Z"')
     where recipient = ${recipient}`)

test('mail from before there was a mail server is kept, and sent with a link that works', async () => {
  const org = await app.newOrganization()
  const [fresh, late, used] = [await addUser(org), await addUser(org), await addUser(org)]
  await app.anonymous.post('/auth/password/forgot', { email: org.email })
  await app.runDueJobs()
  for (const { email } of [fresh, late, used, org]) assert.equal(await stateOf(email), 'kept')
  const { details } = (await app.anonymous.get('/readyz')).json()
  assert.deepEqual([details.mail, details.waitingMails], ['not configured', 4])
  for (const { email } of [late, used, org]) await runOut(email)
  await app.db.tenant(org.organizationId).run(sql`
    update user_password_links set expires_at = now() where user_id in (${late.id}, ${used.id})`)
  const password = 'Tangled-Orchard-58'
  app.secrets.add(password)
  await org.put(`/api/systemusers/${used.id}`, { password })

  const { received, mailing } = await withMailServer()
  assert.equal(await sendKept(mailing.db, mailing.queue.send), 4)
  await mailing.runDueJobs()
  assert.deepEqual(received.map(({ to }) => to).sort(), [fresh.email, late.email, org.email].sort())
  assert.equal(await stateOf(used.email), 'dropped', 'the user has a password by now')
  for (const { email } of [fresh, late]) {
    assert.equal(await stateOf(email), 'sent')
    const { text } = received.find(({ to }) => to === email)!
    const [, organization, token] = /organization=(\w+)&token=([\w-]+)/.exec(text)!
    const res = await app.anonymous.post('/auth/users/password', { organization, token, password })
    assert.equal(res.statusCode, 200, res.body)
  }
  const { text } = received.find(({ to }) => to === org.email)!
  assert.doesNotMatch(text, /until 2020/)
  assert.equal((await mailing.anonymous.get('/readyz')).json().details.mail, 'configured')
})

test('a kept mail is dropped when its link has been used meanwhile', async () => {
  const org = await app.newOrganization()
  const [used, unused] = [await addUser(org), await addUser(org)]
  await app.runDueJobs()
  const mails = await listMails(app.db, app.sealer, 1000)
  const { body } = mails.find(({ recipient }) => recipient === used.email)!
  const [, organization, token] = /organization=(\w+)&token=([\w-]+)/.exec(body)!
  const choice = { organization, token, password: 'Tangled-Orchard-58' }
  assert.equal((await app.anonymous.post('/auth/users/password', choice)).statusCode, 200)
  for (const { email } of [used, unused])
    await app.db.run(
      sql`update mails set created = created - interval '5 minutes' where recipient = ${email}`,
    )

  const { received, mailing } = await withMailServer()
  await sendKept(mailing.db, mailing.queue.send)
  await mailing.runDueJobs()
  const recipients = received.map(({ to }) => to)
  assert.ok(recipients.includes(unused.email) && !recipients.includes(used.email))
  assert.equal(await stateOf(used.email), 'dropped')
})

test('bulk creation says how many mails it will send, and can hold them', async () => {
  const org = await app.newOrganization()
  const rows = [
    person(),
    person({ password: 'Tangled-Orchard-58' }),
    person({ state: 'STAGED' }),
    { username: 'without-email' },
  ]
  app.secrets.add('Tangled-Orchard-58')
  const url = '/api/v2/bulk/users'
  const res = await org.post(`${url}?holdEmails=true&suppressEmail=true`, rows)
  assert.equal(res.statusCode, 201, res.body)
  const { jobId, activationEmails } = res.json()
  assert.equal(activationEmails, 1)
  await app.runDueJobs()
  const { email } = rows[0] as { email: string }
  assert.equal(await stateOf(email), 'held')
  const other = await app.newOrganization()
  assert.equal((await other.post(`${url}/${jobId}/emails/release`, {})).statusCode, 404)
  const released = await org.post(`${url}/${jobId}/emails/release`, {})
  assert.deepEqual(released.json(), { released: 1 })
  await app.runDueJobs()
  assert.equal(await stateOf(email), 'kept')
  assert.deepEqual((await org.post(`${url}/${jobId}/emails/release`, {})).json(), { released: 0 })
})
