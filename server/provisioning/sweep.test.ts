import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { connectLab, startLab } from '../../test/provisioning/world.ts'
import { readRun, requestSweep, sweepDone } from './run-store.ts'

const app = await startApp()

test('a comparison requested during another one, for the same reason, is not lost', async () => {
  const { id } = await connectLab(app, await startLab())
  const { db } = app
  await requestSweep(db, [id], true)
  const { sweep_since, sweep_all } = (await readRun(db, id))!
  // A group is bound after the worker has read the bindings, and before it is done.
  await requestSweep(db, [id], false)
  await sweepDone(db, id, sweep_since!, sweep_all)
  const again = (await readRun(db, id))!
  assert.ok(again.sweep_since)
  await sweepDone(db, id, again.sweep_since, again.sweep_all)
  assert.equal((await readRun(db, id))!.sweep_since, null)
})
