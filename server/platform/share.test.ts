import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../../test/cluster.ts'
import { type Response, startApp } from '../../test/harness.ts'
import { until } from '../../test/until.ts'
import { sql } from './db/sql.ts'

const app = await startApp({ env: { GATEHOUSE_LIST_TIMEOUT_MS: '600000' } })
const impatient = await startApp({ env: { GATEHOUSE_LIST_TIMEOUT_MS: '200' } })

/** In the end: on a busy machine even a list of nothing may take longer than the limit. */
const isAnswered = (ask: () => Promise<Response>) =>
  until('a list is answered', async () => (await ask()).statusCode === 200)

/** Locks the users table, so every statement on it takes as long as this runs. */
const whileUsersAreLocked = (on: typeof app, work: () => Promise<void>) =>
  asOwner(on.owner, async (client) => {
    await client.query('begin')
    await client.query('lock table users in access exclusive mode')
    try {
      await work()
    } finally {
      await client.query('rollback')
    }
  })

/** Connections waiting for a lock; unlike pg_stat_activity, pg_locks shows those of other logins as well. */
const waiting = async () => {
  const row = await app.db.one<{ count: number }>(sql`
    select count(distinct pid) as count from pg_locks l join pg_database d on d.oid = l.database
     where d.datname = current_database() and not l.granted`)
  return row!.count
}

test('while one organization waits for expensive lists, others are served and the service is ready', async () => {
  const [busy, other] = [await app.newOrganization(), await app.newOrganization()]
  assert.equal((await other.post('/api/v2/usergroups', { name: 'Sales' })).statusCode, 201)
  let lists: Promise<Response>[] = []
  await whileUsersAreLocked(app, async () => {
    lists = Array.from({ length: 12 }, () => busy.get('/api/systemusers'))
    while ((await waiting()) < 3);
    for (let at = 0; at < 3; at++) {
      const ready = await app.http.inject({ url: '/readyz' })
      assert.equal(ready.statusCode, 200, ready.body)
      const list = await other.get('/api/v2/usergroups')
      assert.equal(list.statusCode, 200, list.body)
      assert.equal(list.json().length, 1)
    }
    assert.equal(await waiting(), 3, 'three of five connections are its share')
  })
  for (const list of await Promise.all(lists)) assert.equal(list.statusCode, 200, list.body)
})

test('a list, a search and a preview that take too long are 503 with Retry-After', async () => {
  const org = await impatient.newOrganization()
  const rule = { field: 'department', operator: 'contains', value: 'x' }
  await whileUsersAreLocked(impatient, async () => {
    const answers = await Promise.all([
      org.get('/api/systemusers'),
      org.post('/api/search/systemusers', { searchFilter: { searchTerm: 'a' } }),
      org.post('/api/v2/usergroups/preview', {
        memberQuery: { queryType: 'Filter', filters: [rule] },
      }),
    ])
    for (const res of answers) {
      assert.equal(res.statusCode, 503, res.body)
      assert.equal(res.headers['retry-after'], '5')
      assert.equal(res.json().reason, 'statement_timeout')
    }
  })
  await isAnswered(() => org.get('/api/systemusers'))
})

test('a traversal that takes too long is 503', async () => {
  const org = await impatient.newOrganization()
  const { id } = (await org.post('/api/v2/usergroups', { name: 'Sales' })).json()
  await asOwner(impatient.owner, async (client) => {
    await client.query('begin')
    await client.query('lock table edges in access exclusive mode')
    const res = await org.get(`/api/v2/usergroups/${id}/membership`)
    assert.equal(res.statusCode, 503, res.body)
    assert.equal(res.headers['retry-after'], '5')
    await client.query('rollback')
  })
  await isAnswered(() => org.get(`/api/v2/usergroups/${id}/membership`))
})
