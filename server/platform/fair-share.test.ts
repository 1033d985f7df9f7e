import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AppError, unavailable } from './errors.ts'
import { FairShare, type ShareOptions } from './fair-share.ts'

/** Work that runs until it is ended, and the order in which it started. */
function workshop(options: Partial<ShareOptions> = {}) {
  const share = new FairShare({ places: 3, share: 2, ...options })
  const began: string[] = []
  const open = new Map<string, () => void>()
  const start = (name: string) =>
    share.run(name[0]!, async () => {
      began.push(name)
      await new Promise<void>((resolve) => open.set(name, resolve))
      return name
    })
  const end = async (name: string) => {
    open.get(name)!()
    await setImmediate()
  }
  return { share, began, start, end }
}

test('no key exceeds its share, and all together not the total', async () => {
  const { began, start, end } = workshop()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void start(name)
  await setImmediate()
  assert.deepEqual(began, ['a1', 'a2', 'b1'])
  // `a` is first in the queue, but it holds its share until one of its own ends.
  await end('b1')
  assert.deepEqual(began.slice(3), ['b2'])
  await end('a1')
  assert.deepEqual(began.slice(4), ['a3'])
  await end('b2')
  assert.deepEqual(began.slice(5), ['c1'])
})

test('waiting keys are served round robin, however many requests each has', async () => {
  const { began, start, end } = workshop({ places: 1, share: 1 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void start(name)
  await setImmediate()
  for (let at = 0; at < 6; at++) await end(began.at(-1)!)
  assert.deepEqual(began, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('failing work releases its slot', async () => {
  const { share, began, start } = workshop({ places: 1, share: 1 })
  const failing = share.run('a', () => Promise.reject(new Error('no')))
  void start('b1')
  await assert.rejects(failing, /no/)
  await setImmediate()
  assert.deepEqual(began, ['b1'])
})

test('a wait that times out is refused with Retry-After, and not served later', async () => {
  const { began, start, end } = workshop({
    places: 1,
    share: 1,
    patience: { ms: 1, refuse: () => unavailable('organization_busy', 'busy', { retryAfter: 1 }) },
  })
  void start('a1')
  await assert.rejects(
    start('b1'),
    (error) =>
      error instanceof AppError &&
      error.kind === 'unavailable' &&
      error.reason === 'organization_busy' &&
      error.retryAfter === 1,
  )
  await end('a1')
  void start('b2')
  await setImmediate()
  assert.deepEqual(began, ['a1', 'b2'])
})

test('with overflow, only keys below their share are admitted after the wait', async () => {
  const refuse = () => unavailable('busy', 'busy')
  const share = new FairShare({ places: 1, share: 1, patience: { ms: 1, refuse }, overflow: true })
  const leave = await share.take('a')
  await assert.rejects(share.take('a'), /busy/)
  const ahead = await share.take('b')
  assert.equal(share.taken, 2)
  leave()
  leave()
  ahead()
  assert.equal(share.taken, 0)
})
