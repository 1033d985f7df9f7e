import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tx } from './db/index.ts'
import { hook } from './hooks.ts'

test('listeners run sequentially, and the first failure aborts the change', async () => {
  const heard: string[] = []
  const changed = hook<string, { id: string }>()
  changed.on(async (_, actor, { id }) => {
    await Promise.resolve()
    heard.push(`first ${actor} ${id}`)
  })
  changed.on(async () => {
    heard.push('second')
    throw new Error('no')
  })
  changed.on(async () => heard.push('third'))
  await assert.rejects(changed.fire({} as Tx, 'ada', { id: '1' }), /no/)
  assert.deepEqual(heard, ['first ada 1', 'second'])
})

test('changes that are made together are heard in their order, by some listeners at once', async () => {
  const heard: string[] = []
  const changed = hook<string, number>()
  changed.on(async (_, actor, change) => heard.push(`${actor} ${change}`))
  changed.onAll(async (_, actor, changes) => heard.push(`${actor} ${changes.join()}`))
  await changed.fire({} as Tx, 'ada', 1, 2)
  assert.deepEqual(heard, ['ada 1', 'ada 2', 'ada 1,2'])
})
