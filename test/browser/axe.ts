import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Asserts that axe-core finds no violations on the current page. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  // Finish colour transitions before the contrast check; a spinner never ends.
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame)
    for (;;) {
      // A transition that was just asked for begins with the next frames.
      for (let frames = 0; frames < 3; frames++) await frame()
      const running = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .filter(({ playState }) => playState !== 'finished')
      if (running.length === 0) return
      await Promise.all(running.map((animation) => animation.finished.catch(() => {})))
    }
  })
  await page.evaluate(source)
  const violations = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
  assert.deepEqual(violations, [], where)
}
