import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from '../pace.ts'
import { previewPace } from './preview-pace.ts'

/** Work until the pace has others run. */
async function work(pace: Pace): Promise<void> {
  for (;;) {
    const wait = pace.breathe()
    if (wait) return wait
  }
}

test('a preview ends at its deadline, between two records', async () => {
  await assert.rejects(work(previewPace(0)), { kind: 'unavailable', reason: 'preview_timeout' })
  await work(previewPace())
})

test('few steps give way as well when they are long', async () => {
  const pace = new Pace()
  const until = performance.now() + 20
  while (performance.now() < until);
  assert.ok(pace.breathe() instanceof Promise)
  assert.equal(new Pace().breathe(), undefined)
})
