import assert from 'node:assert/strict'
import type { Hook } from '../server/platform/hooks.ts'

/** What a hook tells about one organization, and a listener that can be made to fail. */
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
    /** What was told since the last time. */
    heard: () => news.splice(0),
    /** The only thing that was told since the last time. */
    only: (): Change => {
      assert.equal(news.length, 1)
      return news.splice(0)[0]!
    },
    /** Sends what would change something, while a listener fails: the answer must be a failure of ours. */
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
