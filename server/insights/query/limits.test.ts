import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '../../../test/cluster.ts'
import { startApp } from '../../../test/harness.ts'
import { until } from '../../../test/until.ts'
import type { Pace } from '../../platform/pace.ts'
import { Deadline } from './deadline.ts'

const app = await startApp({ searchTimeoutMs: 200 })
const EVENTS = '/insights/directory/v1/events'
const all = { service: ['all'], start_time: '2026-01-01T00:00:00Z' }

test('a search that takes too long is 503, and other work goes on meanwhile', async () => {
  const org = await app.newOrganization()
  await asOwner(app.owner, async (client) => {
    await client.query('begin')
    // Locks the events table, so every search runs into its time limit.
    await client.query('lock table events in access exclusive mode')
    const searches = Array.from({ length: 6 }, () => org.post(EVENTS, all))
    const read = await org.get(`/api/organizations/${org.organizationId}`)
    assert.equal(read.statusCode, 200, 'a point read does not wait for searches')
    for (const search of await Promise.all(searches)) {
      assert.equal(search.statusCode, 503)
      assert.equal(search.json().reason, 'search_timeout')
    }
    await client.query('rollback')
  })
  // On a busy machine even a search of nothing may take longer than the limit.
  await until('a search is answered', async () => (await org.post(EVENTS, all)).statusCode === 200)
})

test('the time limit covers all statements of a search, on every route', async () => {
  const brief = await startApp({ env: { GATEHOUSE_SEARCH_SECONDS: '0.2' } })
  const org = await brief.newOrganization()
  await asOwner(brief.owner, async (client) => {
    await client.query('begin')
    await client.query('lock table events in access exclusive mode')
    const body = { ...all, field: 'id', interval_unit: 'd' }
    const answers = await Promise.all(
      ['', '/count', '/distinct', '/interval', '/export'].map((end) =>
        org.post(EVENTS + end, body),
      ),
    )
    for (const answer of answers) {
      assert.equal(answer.statusCode, 503, answer.body)
      assert.ok(Number(answer.headers['retry-after']) >= 1)
      assert.match(answer.json().message, /aborted after 0\.2 s.* shorter time range/)
      assert.equal(answer.json().reason, 'search_timeout')
    }
    await client.query('rollback')
  })
})

test('work between statements ends at the deadline, and with the client', async () => {
  const untilItStops = async (pace: Pace) => {
    for (;;) await pace.breathe()
  }
  const late = new Deadline(1, performance.now() - 1001)
  await assert.rejects(untilItStops(late.pace()), { reason: 'search_timeout' })
  const gone = new Deadline(60).pace(AbortSignal.abort())
  await assert.rejects(untilItStops(gone), { reason: 'client_gone' })
})

test('work starts only while time is left', async () => {
  const over = new Deadline(1, performance.now() - 1001)
  let begun = false
  const work = async () => {
    begun = true
  }
  await assert.rejects(over.keep(work), { reason: 'search_timeout' })
  assert.equal(begun, false)
  await new Deadline(60).keep(work)
  assert.equal(begun, true)
})
