import { recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import { retryJobOf } from '../platform/jobs/failures.ts'
import type { Attention, SearchHit } from './schema.ts'
import { COUNTS, FINDERS } from './store.ts'

const MAX_WORDS = 8

/** The parts that the caller may read; the others are left out of the answer. */
const readable = <T>(parts: Record<string, T>, { scopes }: Caller): T[] =>
  Object.entries(parts)
    .filter(([scope]) => scopes.has(scope) || scopes.has(`${scope}.readonly`))
    .map(([, part]) => part)

export async function countAttention(db: Db, caller: Caller): Promise<Attention> {
  const { organizationId } = caller
  const tenant = db.tenant(organizationId)
  const counts = readable(COUNTS, caller).map((count) => count(tenant, organizationId))
  return Object.assign({}, ...(await Promise.all(counts)))
}

export async function searchEverything(db: Db, caller: Caller, text: string): Promise<SearchHit[]> {
  const { organizationId } = caller
  const words = text.trim().split(/\s+/).slice(0, MAX_WORDS)
  const tenant = db.tenant(organizationId)
  const finds = readable(FINDERS, caller).map((find) =>
    find(tenant, organizationId, { text: text.trim(), words }),
  )
  return (await Promise.all(finds)).flat()
}

/** Work of a queue is due at once, with all its attempts. Imports are retried where they belong: in their application. */
export function retryJob(db: Db, caller: Caller, id: string): Promise<void> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const queue = await retryJobOf(tx, organizationId, id)
    if (queue === undefined) throw notFound('job_not_found', 'There is no such failed job')
    await recordEvent(tx, caller, {
      event_type: 'job_retry',
      resource: { type: 'job', id, name: queue },
    })
  })
}
