import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { asOwner } from '../cluster.ts'
import { until } from '../until.ts'
import { postgresPid, type Service, startService, usedDataDirectory } from './service.ts'

const ROUNDS = 10
const WRITERS = 4

/** mulberry32: the same sequence of crashes in every run, so a failure can be reproduced. */
function seeded(state: number): () => number {
  let at = state
  return () => {
    at = (at + 0x6d2b79f5) | 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Writers that record acknowledged writes and all other responses. */
function startLoad(service: Service, prefix: string, acknowledged: Map<string, string>) {
  const refusals = new Set<number>()
  let stopped = false
  const write = async (writer: number): Promise<void> => {
    for (let at = 0; !stopped; at++) {
      const name = `${prefix}-${writer}-${at}`
      try {
        const answer = await service.call('POST', '/api/v2/roles', {
          name,
          scopes: ['users.readonly'],
        })
        const body = (await answer.json()) as { id: string }
        if (answer.ok) acknowledged.set(body.id, name)
        else refusals.add(answer.status)
      } catch {
        // The connection was lost: the role may or may not exist.
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  const stop = async () => {
    stopped = true
    await writers
  }
  return { refusals, stop }
}

interface Found {
  id: string
  roles: number
  events: number
}

/** Every role and every creation event, counted by the role's id. */
const countRoles = (dataDir: string): Promise<Found[]> =>
  asOwner(connectionsOf(dataDir).owner, async (client) => {
    const { rows } = await client.query(`
      with role as (select id::text, count(*)::int as n from roles group by id),
           event as (select document::jsonb #>> '{resource,id}' as id, count(*)::int as n
                       from events where document::jsonb ->> 'event_type' = 'role_create' group by 1)
      select id, coalesce(role.n, 0) as roles, coalesce(event.n, 0) as events
        from role full join event using (id)`)
    return rows
  })

test(`no acknowledged write is lost or duplicated in ${ROUNDS} crashes`, async () => {
  const random = seeded(20_241)
  const dataDir = await usedDataDirectory()
  const settings = { GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_LOG_LEVEL: 'info' }
  const acknowledged = new Map<string, string>()
  let service = await startService(settings)

  for (let round = 0; round < ROUNDS; round++) {
    const victim = (['node', 'postgres', 'both'] as const)[round % 3]!
    const load = startLoad(service, `role-${round}`, acknowledged)
    const moment = acknowledged.size + 1 + Math.floor(random() * 60)
    await until('writes', () => acknowledged.size >= moment)
    const database = postgresPid(dataDir)!
    const pids = { node: [service.pid], postgres: [database], both: [service.pid, database] }
    const doomed = random() < 0.5 ? pids[victim] : pids[victim].toReversed()
    for (const pid of doomed) process.kill(pid, 'SIGKILL')

    if (victim === 'postgres') {
      // Its backends keep writing until they notice, so writes alone do not prove that it is back.
      await until('another PostgreSQL', () => ![null, database].includes(postgresPid(dataDir)))
      const before = acknowledged.size
      await until('writes after PostgreSQL came back', () => acknowledged.size > before + WRITERS)
      await load.stop()
      for (const status of load.refusals) assert.equal(status, 503)
    } else {
      await service.exited
      await load.stop()
      service = await startService(settings)
    }
    assert.equal(service.output.stderr, '', `round ${round}, ${victim}: nothing for a person to do`)
  }

  const found = await countRoles(dataDir)
  const ids = new Set(found.map(({ id }) => id))
  assert.ok(acknowledged.size > ROUNDS * WRITERS)
  assert.deepEqual(
    [...acknowledged.keys()].filter((id) => !ids.has(id)),
    [],
    'acknowledged, but lost',
  )
  assert.deepEqual(
    found.filter(({ roles, events }) => roles !== 1 || events !== 1),
    [],
    'a role without exactly one event, or an event without its role',
  )
})
