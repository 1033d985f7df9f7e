import type { Caller } from '../../platform/caller.ts'
import { fold } from '../document.ts'
import type { Term } from '../query/search-tree.ts'

// Who ingested an event. Events that the service records itself never have these members, so readers can tell the two
// apart.

/** In any spelling, so that readers that ignore case, or treat dots as nesting, are not misled either. */
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

/** Drops these members as sent by a client, even if the event was exported from here. */
export function dropReserved(document: Record<string, unknown>): void {
  for (const name of Object.keys(document)) if (RESERVED.test(name)) delete document[name]
}

export const isIngested = (document: object): boolean => 'ingested_by' in document

/** Only events that the service recorded itself: they lack the member. */
export const NOT_INGESTED: Term = {
  type: 'leaf',
  field: 'ingested_by.type',
  kinds: ['string'],
  operator: 'not_in',
  values: TYPES,
}
