import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../platform/errors.ts'
import { FairShare } from '../platform/fair-share.ts'
import type { SpSettings } from './sp-metadata.ts'
import type { Answer, Task } from './sp-metadata-thread.ts'

let thread: Worker | undefined

/** Started by the first import and kept: starting takes longer than parsing most documents. */
function startThread(): Worker {
  const worker = new Worker(new URL('./sp-metadata-thread.ts', import.meta.url))
  worker.once('exit', () => {
    thread = undefined
  })
  return worker
}

/** One document at a time, so replies need no correlation id; organizations take turns. */
const turns = new FairShare({ places: 1, share: 1 })

/** Parses off the event loop: the largest document takes some 20 ms of CPU time. */
export const readSpMetadataInThread = (organizationId: string, task: Task): Promise<SpSettings> =>
  turns.run(organizationId, async () => {
    thread ??= startThread()
    // Keeps the process alive only while it works.
    thread.ref()
    try {
      thread.postMessage(task)
      const [answer]: [Answer] = (await once(thread, 'message')) as [Answer]
      if ('settings' in answer) return answer.settings
      throw new AppError('invalid', answer.reason, answer.message)
    } finally {
      thread?.unref()
    }
  })
