import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { PARSERS } from './long-texts/parsers.ts'

// A tenant chooses these texts, and all tenants share the process. A parser whose time grew with the square of its text
// would take hours for one of them.

const DEADLINE_MS = 60_000

const finished = new Map<string, PromiseWithResolvers<void>>(
  Object.keys(PARSERS).map((name) => [name, Promise.withResolvers<void>()]),
)
/** For those that have not finished. */
const fail = (error: Error) => {
  for (const { promise, reject } of finished.values()) {
    promise.catch(() => {})
    reject(error)
  }
}

// A thread of its own: a parser that does not return can only be ended from outside.
const worker = new Worker(new URL('long-texts/worker.ts', import.meta.url))
let timer: NodeJS.Timeout | undefined
worker.on('message', ({ parser, text }: { parser: string; text: string | null }) => {
  clearTimeout(timer)
  if (text === null) return finished.get(parser)!.resolve()
  timer = setTimeout(() => {
    fail(new Error(`${parser} takes longer than ${DEADLINE_MS / 1000} s for many of ${text}`))
    void worker.terminate()
  }, DEADLINE_MS)
})
worker.on('error', fail)
worker.on('exit', () => {
  clearTimeout(timer)
  fail(new Error('The thread ended'))
})
after(() => worker.terminate())

for (const [name, { promise }] of finished)
  test(`a megabyte of one or two characters: ${name}`, async () => assert.ifError(await promise))
