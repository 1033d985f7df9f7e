import type { Caller } from '../../platform/caller.ts'
import { fold } from '../document.ts'
import type { Term } from '../query/search-tree.ts'

// Who brought an event in from outside. What the service records itself never has these members, so whoever reads an
// event can tell the two apart.

/** In any spelling: a reader that ignores case, or takes dots for members, must not be misled either. */
const RESERVED = /^ingested_(by|at)(\.|$)/i

export interface Ingested {
  ingested_by: { type: string; id: string; email?: string; name?: string }
  ingested_at: string
}

const TYPES = ['admin', 'service_account', 'user', 'system']

export function ingestedBy({ initiator, id }: Caller, now: number): Ingested {
  const { type, email, name } = initiator
  const by = {
    type,
    id,
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
  }
  return fold({ ingested_by: by, ingested_at: new Date(now).toISOString() }) as unknown as Ingested
}

/** What a client says about it is not kept, not even where it says it about an event that was exported here. */
export function dropReserved(document: Record<string, unknown>): void {
  for (const name of Object.keys(document)) if (RESERVED.test(name)) delete document[name]
}

export const isIngested = (document: object): boolean => 'ingested_by' in document

/** Only what the service wrote itself; an absent member is none of these. */
export const NOT_INGESTED: Term = {
  type: 'leaf',
  field: 'ingested_by.type',
  kinds: ['string'],
  operator: 'not_in',
  values: TYPES,
}
