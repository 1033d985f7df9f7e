import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { authnRequest, newWorld, query } from '../../test/sso/world.ts'
import { sql } from '../platform/db/sql.ts'
import { tidySsoJob } from './job-definitions.ts'

const app = await startApp()

test('expired rows are ignored, and the job deletes them', async () => {
  const { org, application, person } = await newWorld(app)
  const url = `${application.url}?${query(authnRequest())}`
  const waiting = await app.http.inject({ url })
  const path = new URL(String(waiting.headers.location), 'http://x').searchParams.get('continue')!
  const headers = { cookie: person.cookie }
  assert.equal((await app.http.inject({ url, headers })).statusCode, 200)
  const tenant = app.db.tenant(org.organizationId)
  await tenant.run(sql`update sso_pending_requests set expires_at = now()`)
  await tenant.run(sql`update sso_answered_requests set expires_at = now()`)
  await tenant.run(sql`update sso_attempts set at = now() - interval '31 days'`)
  assert.equal((await app.http.inject({ url: path, headers })).statusCode, 400)

  await app.db.tx(null, (tx) => app.queue.send(tx, tidySsoJob, {}))
  await app.runDueJobs()
  const left = await tenant.one<{ total: number }>(sql`
    select (select count(*) from sso_pending_requests) + (select count(*) from sso_answered_requests)
         + (select count(*) from sso_attempts) as total`)
  assert.equal(left?.total, 0)
})
