import assert from 'node:assert/strict'
import type { Hook } from '../server/platform/hooks.ts'

/** Records the calls of a hook for one organization; can be made to fail. */
export function listenTo<Actor extends { organizationId: string }, Change>(
  hook: Hook<Actor, Change>,
  organizationId: string,
) {
  const news: Change[] = []
  let failing = false
  hook.on(async (_, actor, change) => {
    if (actor.organizationId !== organizationId) return
    if (failing) throw new Error('a listener failed')
    news.push(change)
  })
  return {
    /** Calls since the last check. */
    heard: () => news.splice(0),
    /** The only call since the last check. */
    only: (): Change => {
      assert.equal(news.length, 1)
      return news.splice(0)[0]!
    },
    /** Sends a change while the listener fails: the response must be a 500. */
    async failing(send: () => Promise<{ statusCode: number; body: string }>): Promise<void> {
      failing = true
      const { statusCode, body } = await send().finally(() => {
        failing = false
      })
      assert.equal(statusCode, 500, body)
      assert.deepEqual(news, [])
    },
  }
}
