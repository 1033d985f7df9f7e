import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { callsOf, newWorld } from '../../test/oidc/world.ts'
import { sql } from '../platform/db/sql.ts'
import { tidyOidcJob } from './job-definitions.ts'

const app = await startApp()
const { codeFor, exchange, userinfo } = callsOf(app)

test('the job deletes expired rows only', async () => {
  const { org, client, person } = await newWorld(app, { accessTokenLifespan: 120 })
  const answer = (await exchange(client, await codeFor(client, person))).json()
  await codeFor(client, person)
  const tenant = app.db.tenant(org.organizationId)
  const count = async () => {
    await app.db.tx(null, (tx) => app.queue.send(tx, tidyOidcJob, {}))
    await app.runDueJobs()
    return tenant.one(sql`
      select (select count(*) from oidc_grants) as grants, (select count(*) from oidc_tokens) as tokens`)
  }
  assert.deepEqual(await count(), { grants: 2, tokens: 1 })
  await tenant.run(sql`update oidc_grants set expires_at = expires_at - interval '61 seconds'`)
  assert.deepEqual(await count(), { grants: 1, tokens: 1 })
  assert.equal((await userinfo(client, answer.access_token)).statusCode, 200)
  await tenant.run(sql`update oidc_tokens set expires_at = now()`)
  await tenant.run(sql`update oidc_grants set expires_at = now()`)
  assert.deepEqual(await count(), { grants: 0, tokens: 0 })
})
