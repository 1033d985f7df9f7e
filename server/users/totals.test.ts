import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generatePeople } from '../../lab/generated-people.ts'
import { startApp } from '../../test/harness.ts'
import { connectPeople, ok, startPeople } from '../../test/imports/world.ts'
import { mulberry32 } from '../../test/insights/random.ts'
import { person } from '../../test/people.ts'
import { sql } from '../platform/db/sql.ts'
import { purgeUsersJob } from './job-definitions.ts'

const app = await startApp()

test('the total of the list is that of the rows after creations, deletions, restores, purges, bulk jobs and imports', async () => {
  const lab = await startPeople({ people: generatePeople(40) })
  const { org, run } = await connectPeople(app, lab)
  const { organizationId } = org
  const random = mulberry32(11)
  const total = async () => ok(await org.get('/api/systemusers?limit=1')).json().totalCount
  const counted = async () =>
    (await app.db
      .tenant(organizationId)
      .one<{ total: number }>(sql`select count(*) as total from users where deleted_at is null`))!
      .total
  const check = async () => {
    assert.equal(await total(), await counted())
    const search = ok(await org.post('/api/search/systemusers', { filter: {}, limit: 1 })).json()
    assert.equal(search.totalCount, await counted())
  }

  const ids: string[] = []
  /** Each writer has its own users, and so knows their states. */
  const writer = async () => {
    const mine: { id: string; deleted: boolean }[] = []
    for (let i = 0; i < 25; i++) {
      const one = mine[Math.floor(random() * mine.length * 1.5)]
      if (!one) {
        const { id } = ok(await org.post('/api/systemusers', person())).json()
        mine.push({ id, deleted: false })
      } else if (one.deleted) ok(await org.post(`/api/systemusers/${one.id}/restore`))
      else ok(await org.delete(`/api/systemusers/${one.id}`))
      if (one) one.deleted = !one.deleted
    }
    ids.push(...mine.filter(({ deleted }) => !deleted).map(({ id }) => id))
  }
  await Promise.all(Array.from({ length: 5 }, writer))
  await check()

  const known = person({ username: 'known' })
  ok(await org.post('/api/v2/bulk/users', [person(), known, person(), known]), 201)
  const [job] = await Promise.all([run(), ...[1, 2].map(writer)])
  assert.equal(job.succeeded, 40)
  await check()

  for (const id of ids.slice(0, 6)) ok(await org.delete(`/api/systemusers/${id}`))
  await app.db.tx(organizationId, (tx) =>
    tx.run(sql`update users set deleted_at = now() - interval '31 days'
                where deleted_at is not null and id = any(${ids.slice(0, 3)}::text[])`),
  )
  await app.db.tx(null, (tx) => app.queue.send(tx, purgeUsersJob, {}))
  await app.runDueJobs()
  assert.equal((await org.post(`/api/systemusers/${ids[0]}/restore`)).statusCode, 404)
  ok(await org.post(`/api/systemusers/${ids[3]}/restore`))
  assert.equal((await org.post('/api/systemusers', known)).statusCode, 409)
  await check()
  const filtered = ok(await org.get('/api/systemusers?filter=username:$eq:known&limit=1')).json()
  assert.equal(filtered.totalCount, 1)
})
