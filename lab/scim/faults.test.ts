import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLab } from '../../test/scim-lab.ts'
import { type FaultSettings, Faults } from './faults.ts'

const REQUESTS = 2000
function kinds(settings: FaultSettings): string[] {
  const faults = new Faults()
  faults.set(settings)
  return Array.from({ length: REQUESTS }, () => faults.next().kind)
}
const share = (list: string[], kind: string) =>
  Math.round((list.filter((one) => one === kind).length / REQUESTS) * 10) / 10

test('the same seed gives the same faults, at the given rate', () => {
  const settings = { failRate: 0.2, seed: 7 }
  assert.deepEqual(kinds(settings), kinds(settings))
  assert.notDeepEqual(kinds(settings), kinds({ ...settings, seed: 8 }))
  assert.equal(share(kinds(settings), 'status'), 0.2)
  assert.equal(share(kinds({}), 'none'), 1)
  const cut = kinds({ failRate: 0.4, cutBefore: true, cutAfter: true })
  assert.deepEqual([share(cut, 'cutBefore'), share(cut, 'cutAfter')], [0.2, 0.2])
  assert.equal(share(cut, 'status'), 0)
  const all = kinds({ failRate: 1, cutBefore: true, status: 503 })
  assert.deepEqual([share(all, 'cutBefore'), share(all, 'status')], [0.5, 0.5])
})

test('faults fail with a status, before the effect or after it, and can be changed at any time', async () => {
  const { call, userBody, store, faults } = await startLab({
    faults: { failRate: 1, status: 503, retryAfter: 7 },
  })
  const post = () => call('POST', '/Users', userBody('ada'))
  const { status, headers } = await post()
  assert.deepEqual([status, headers.get('retry-after'), store.users.size], [503, '7', 0])
  faults.set({ failRate: 1, cutBefore: true })
  await assert.rejects(post())
  assert.equal(store.users.size, 0)
  faults.set({ failRate: 1, cutAfter: true })
  await assert.rejects(post())
  assert.equal(store.users.size, 1)
  faults.set({})
  assert.equal((await post()).status, 409)
  assert.deepEqual(
    store.journal.map(({ status, note }) => [status, note]),
    [
      [503, undefined],
      [0, 'cut before it took effect'],
      [201, 'reply lost'],
      [409, undefined],
    ],
  )
})

test('faults come on top of a profile, and stay when the profile changes', async () => {
  const lab = await startLab({ profile: 'bare', faults: { failRate: 1, status: 503 } })
  assert.equal((await lab.call('GET', '/Nothing')).status, 503)
  lab.use('aws')
  assert.equal((await lab.call('GET', '/Users')).status, 503)
  lab.faults.set({})
  assert.equal((await lab.call('GET', '/Users')).status, 200)
})
