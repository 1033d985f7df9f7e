import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachTenant } from './each-tenant.ts'
import { unavailable } from './errors.ts'

test('a failing tenant does not stop the others, and the failure is reported', async () => {
  const turns: string[] = []
  const work = async (id: string) => {
    turns.push(id)
    if (id === 'b' || id === 'd') throw new Error(`no ${id}`)
  }
  await assert.rejects(forEachTenant(['a', 'b', 'c', 'd', 'e'], work), (error: AggregateError) => {
    assert.equal(error.message, 'Failed for 2 of 5 tenants: b: no b; d: no d')
    assert.equal(error.errors.length, 2)
    return true
  })
  assert.deepEqual(turns, ['a', 'b', 'c', 'd', 'e'])
})

test('the loop stops when the database is unavailable', async () => {
  const turns: string[] = []
  const work = async (id: string) => {
    turns.push(id)
    throw unavailable('database_unavailable', 'away')
  }
  await assert.rejects(forEachTenant(['a', 'b'], work), /away/)
  assert.deepEqual(turns, ['a'])
})
