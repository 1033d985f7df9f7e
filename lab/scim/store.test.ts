import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScimError } from './errors.ts'
import { Store } from './store.ts'

test('the store and its journal have limits', () => {
  const store = new Store(() => 0)
  for (let at = 0; at < 200_000; at++) store.insert('Users', `${at}`, { userName: `u${at}` }, [])
  assert.throws(
    () => store.insert('Groups', 'one-more', { displayName: 'g' }, []),
    (error) => error instanceof ScimError && error.status === 507,
  )
  for (let at = 0; at <= 10_000; at++)
    store.record({ method: 'GET', path: `/${at}`.padEnd(1000, 'x'), status: 200 })
  assert.equal(store.journal.length, 10_000)
  assert.match(store.journal[0]!.path, /^\/1x{498}$/)
  store.reset()
  assert.deepEqual([store.users.size, store.journal.length, store.writes], [0, 0, 0])
})
