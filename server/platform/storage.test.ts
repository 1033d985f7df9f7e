import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../../test/cluster.ts'
import { startApp } from '../../test/harness.ts'
import { sql } from './db/sql.ts'
import { createLog } from './log.ts'
import { Storage } from './storage.ts'

const app = await startApp({ alone: true })

/** Raises PostgreSQL's own error for every write of that kind. A really full disk: test/process. */
const failOn = (what: string, table: string, code: string) =>
  asOwner(app.owner, (client) =>
    client.query(`
      create or replace function no_room_${code}() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '${code}'; end $$;
      create trigger no_room before ${what} on ${table} execute function no_room_${code}()`),
  )

test('on a full disk writes answer 503 with Retry-After and a reason, in every API family', async () => {
  const org = await app.newOrganization()
  await failOn('insert', 'roles', '53100')
  await failOn('insert', 'event_settings', '53100')
  await failOn('insert', 'groups', '53200')
  const message = 'The database disk is full; writes fail until space is freed'
  const reason = 'storage_full'
  const v2 = await org.post('/api/v2/roles', { name: 'No room', scopes: ['users'] })
  assert.deepEqual(v2.json(), { code: 503, status: 'UNAVAILABLE', message, details: [], reason })
  const insights = await org.put('/insights/directory/v1/retention', { days: 30 })
  assert.deepEqual(insights.json(), { message, reason })
  for (const res of [v2, insights]) {
    assert.equal(res.statusCode, 503)
    assert.equal(res.headers['retry-after'], '30')
  }
  const memory = await org.post('/api/v2/usergroups', { name: 'No memory' })
  assert.deepEqual([memory.statusCode, memory.json().reason], [503, 'database_out_of_memory'])
  assert.equal(memory.headers['retry-after'], '5')
  assert.equal((await org.get('/api/organizations')).statusCode, 200)
})

test('sessions keep working when their last-seen time cannot be written', async () => {
  const org = await app.newOrganization()
  const signIn = await app.anonymous.post('/auth/sign-in', {
    email: org.email,
    password: org.password,
  })
  assert.equal(signIn.statusCode, 200)
  const cookie = String(signIn.headers['set-cookie']).split(';')[0]!
  await app.db.run(sql`update sessions set seen_at = now() - interval '10 minutes'`)
  await failOn('update', 'sessions', '53100')
  assert.equal((await app.anonymous.get('/api/organizations', { cookie })).statusCode, 200)
})

test('where the free space is unknown, a failure counts for half a minute', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  const storage = new Storage(null, 0, createLog('silent'))
  assert.equal(await storage.isFull(), false)
  storage.noteFull()
  assert.equal(await storage.isFull(), true)
  t.mock.timers.tick(20_000)
  storage.noteFull()
  t.mock.timers.tick(20_000)
  assert.equal(await storage.isFull(), true)
  t.mock.timers.tick(20_000)
  assert.equal(await storage.isFull(), false)
  assert.equal(await storage.warning(), null)
})
