import { parentPort } from 'node:worker_threads'
import { AppError } from '../platform/errors.ts'
import type { Limits } from '../platform/limits.ts'
import { readSpMetadata, type SpSettings } from './sp-metadata.ts'

// The other side of read-sp-metadata.ts.

export interface Task {
  xml: string | Uint8Array
  wanted: string | undefined
  max: Limits['metadata']
}
/** Errors as their parts: a copy would be no AppError. */
export type Answer = { settings: SpSettings } | { reason: string; message: string }

function answer({ xml, wanted, max }: Task): Answer {
  try {
    return { settings: readSpMetadata(xml, max, wanted) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { reason, message } = error
    return { reason, message }
  }
}

parentPort!.on('message', (task: Task) => parentPort!.postMessage(answer(task)))
