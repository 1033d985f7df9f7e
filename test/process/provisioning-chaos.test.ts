import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScimLab } from '../../lab/scim/serve.ts'
import { asOwner } from '../cluster.ts'
import { newDatabase } from '../database.ts'
import { until } from '../until.ts'
import { addressOf, finally_, newDataDirectory, type Service, startService } from './service.ts'

const SEED = 20_261
const PEOPLE = 2000
const KILLS = 10

/** mulberry32 */
function seeded(state: number): () => number {
  let at = state
  return () => {
    at = (at + 0x6d2b79f5) | 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Query = (text: string, values?: unknown[]) => Promise<Record<string, string>[]>

/** People in a group, written straight into the database: 2,000 requests would take longer than the test. */
async function addPeople(query: Query, organizationId: string, groupId: string) {
  const id = `lpad(to_hex(n), 24, '0')`
  const all = `generate_series(1, ${PEOPLE}) n`
  await query(
    `insert into nodes (organization_id, type, id) select $1, 'user', ${id} from ${all}`,
    [organizationId],
  )
  await query(
    `insert into users (organization_id, id, username, email, state, unix_uid, unix_guid, creation_source)
     select $1, ${id}, 'u' || n, 'u' || n || '@example.com', 'ACTIVATED', 6000 + n, 6000 + n, 'test' from ${all}`,
    [organizationId],
  )
  await query(
    `insert into edges (organization_id, from_type, from_id, to_type, to_id)
     select $1, 'user_group', $2, 'user', ${id} from ${all}`,
    [organizationId, groupId],
  )
  await query('call recount_members()')
}

test(`${PEOPLE} people are provisioned exactly once while the worker is killed ${KILLS} times and the provider fails (seed ${SEED})`, async () => {
  const random = seeded(SEED)
  const { owner } = await newDatabase()
  const query: Query = (text, values) =>
    asOwner(owner, async (client) => (await client.query(text, values)).rows)
  const settings = {
    GATEHOUSE_DATA_DIR: newDataDirectory(),
    DATABASE_URL: addressOf(owner),
    GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
  }
  const lab = await startScimLab({
    faults: { failRate: 0.2, status: 500, cutBefore: true, cutAfter: true, seed: SEED },
  })
  finally_(lab.close)
  const web = await startService({ ...settings, GATEHOUSE_ROLE: 'web' })
  const startWorker = () => startService({ ...settings, GATEHOUSE_ROLE: 'worker' })
  const call = async (method: string, path: string, body?: object) => {
    const res = await web.call(method, path, body)
    const text = await res.text()
    assert.ok(res.ok, text)
    return text === '' ? undefined : JSON.parse(text)
  }

  const application = await call('POST', '/api/applications', {
    name: 'bookmark',
    ssoUrl: 'https://wiki.example.com/',
    active: true,
  })
  const group = await call('POST', '/api/v2/usergroups', { name: 'Everybody' })
  const [organization] = await query('select id from organizations')
  await addPeople(query, organization!.id!, group.id)
  const path = `/api/v2/applications/${application.id}/provisioning`
  await call('PUT', path, {
    baseUrl: lab.url,
    auth: { type: 'bearer', token: lab.token },
    groups: { push: true },
    limits: { concurrency: 16 },
  })
  await call('POST', `${path}/activate`)
  await call('POST', `/api/v2/applications/${application.id}/associations`, {
    op: 'add',
    type: 'user_group',
    id: group.id,
  })

  // Moments from the first account to the last ones.
  const moments = Array.from({ length: KILLS }, () => Math.floor(random() * PEOPLE * 0.95) + 1)
  let worker: Service = await startWorker()
  for (const moment of moments.sort((a, b) => a - b)) {
    await until(`${moment} accounts`, () => lab.store.users.size >= moment)
    process.kill(worker.pid, 'SIGKILL')
    await worker.exited
    // The lease of a dead worker ends after 15 s; here it is ended by hand.
    await query('update provisioning_runs set lease_until = now()')
    worker = await startWorker()
  }
  await until('everybody', async () => {
    const { users, groups } = await call('GET', `${path}/status`)
    // The pauses between attempts double; those who were unlucky a few times are not waited for.
    for (const list of ['users', 'groups'])
      for (const { userId, groupId, attempts } of await call(
        'GET',
        `${path}/${list}?waiting=true&limit=100`,
      ))
        if (attempts > 2) await call('POST', `${path}/${list}/${userId ?? groupId}/retry`)
    return users.provisioned === PEOPLE && users.waiting + groups.waiting === 0
  })

  const names = [...lab.store.users.values()].map(({ userName }) => String(userName))
  assert.equal(names.length, PEOPLE, 'no duplicate, no orphan')
  assert.deepEqual(new Set(names), new Set(Array.from({ length: PEOPLE }, (_, at) => `u${at + 1}`)))
  assert.ok([...lab.store.users.values()].every(({ active }) => active === true))
  const groups = [...lab.store.groups.values()]
  assert.equal(groups.length, 1)
  const members = groups[0]!.members as { value: string }[]
  assert.deepEqual(
    new Set(members.map(({ value }) => value)),
    new Set(lab.store.users.keys()),
    'the group has everybody',
  )
  const unrecorded = await query(`
    select id from users where id not in (
      select document::jsonb #>> '{resource,id}' from events
       where document::jsonb ->> 'event_type' in ('user_create_provision', 'user_update_provision')
         and document::jsonb ->> 'success' = 'true')`)
  assert.deepEqual(unrecorded, [], 'each account has its creation, or its adoption, in Insights')
  assert.equal(web.output.stderr + worker.output.stderr, '')
})
