import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Ends colour transitions before the contrast check; a spinner never ends. */
const finishTransitions = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame)
    for (;;) {
      // A transition that was just asked for begins with the next frames.
      for (let frames = 0; frames < 3; frames++) await frame()
      const running = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .filter(({ playState }) => playState !== 'finished')
      if (running.length === 0) return
      // At their end at once, instead of waiting for it.
      for (const animation of running) animation.finish()
    }
  })

/** Asserts that axe-core finds no violations on the current page: of all its rules, or of those named. */
export async function assertAccessible(page: Page, where: string, rules?: string[]): Promise<void> {
  await finishTransitions(page)
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const violations = await page.evaluate(async (rules) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
      // Style sheets would be read again for each run, and no rule that is on needs them.
      preload: false,
      ...(rules && { runOnly: rules }),
    })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, rules)
  assert.deepEqual(violations, [], where)
}

/** Light and dark, and light again. What does not depend on colours is the same in both. */
export async function assertAccessibleInBoth(page: Page, where: string): Promise<void> {
  await assertAccessible(page, where)
  await page.emulateMedia({ colorScheme: 'dark' })
  await assertAccessible(page, `${where}, dark`, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
}
