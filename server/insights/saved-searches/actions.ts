import type { Caller } from '../../platform/caller.ts'
import { isUniqueViolation, type Tx } from '../../platform/db/index.ts'
import { conflict, forbidden, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { EventLimits } from '../../platform/limits.ts'
import type { Page } from '../../platform/list/page.ts'
import { readListV2 } from '../../platform/list/query.ts'
import type { InsightsContext } from '../context.ts'
import { changesBetween } from '../document.ts'
import { recordEvent } from '../record/record.ts'
import { readSavedQuery } from './saved-search.ts'
import type { SavedSearch, SavedSearchWrite } from './schema.ts'
import {
  deleteSavedSearch,
  findSavedSearch,
  insertSavedSearch,
  lockSavedSearch,
  pageOfSavedSearches,
  SAVED_SEARCHES,
  saveSavedSearch,
} from './store.ts'

const savedSearchNotFound = () => notFound('saved_search_not_found', 'saved search not found')
const notYours = () =>
  forbidden('saved_search_not_yours', 'Forbidden: the saved search belongs to someone else')

async function naming<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isUniqueViolation(error, 'saved_searches_name')) {
      throw conflict(
        'saved_search_name_taken',
        'name: you already have a saved search with this name',
      )
    }
    throw error
  }
}

/** The writable members; omitted ones get their defaults. */
const contentOf = (body: SavedSearchWrite, now: number, max: EventLimits) => ({
  name: body.name.trim(),
  description: body.description ?? '',
  shared: body.shared ?? false,
  query: readSavedQuery(body.query, now, max),
  columns: body.columns ?? [],
})

const record = (
  tx: Tx,
  caller: Caller,
  what: 'create' | 'update' | 'delete',
  { id, name }: { id: string; name: string },
  changes: ReturnType<typeof changesBetween>,
): Promise<string> =>
  recordEvent(tx, caller, {
    event_type: `saved_search_${what}`,
    resource: { type: 'saved_search', id, name },
    changes,
  })

export const listSavedSearches = (
  { db, limits }: InsightsContext,
  caller: Caller,
  query: Record<string, unknown>,
): Promise<Page<SavedSearch>> => {
  const { organizationId, id } = caller
  const list = readListV2(SAVED_SEARCHES, query, limits.list)
  return pageOfSavedSearches(db.tenant(organizationId), organizationId, id, list)
}

export async function getSavedSearch(
  { db }: InsightsContext,
  caller: Caller,
  id: string,
): Promise<SavedSearch> {
  const { organizationId } = caller
  const found = await findSavedSearch(db.tenant(organizationId), organizationId, caller.id, id)
  if (!found) throw savedSearchNotFound()
  return found
}

export function createSavedSearch(
  { db, limits }: InsightsContext,
  caller: Caller,
  body: SavedSearchWrite,
  now: number,
): Promise<SavedSearch> {
  // A service account cannot own one, but may run shared ones.
  if (caller.initiator.type !== 'admin')
    throw forbidden('administrators_only', 'Forbidden: only administrators can have saved searches')
  const content = contentOf(body, now, limits.events)
  const { organizationId } = caller
  return naming(
    db.tx(organizationId, async (tx) => {
      const search = { id: newId(now), owner: caller.id, ...content }
      const made = await insertSavedSearch(tx, organizationId, search)
      await record(tx, caller, 'create', made, changesBetween({}, content))
      return made
    }),
  )
}

/** A full replace by the owner. An ownerless search becomes the caller's. */
export function replaceSavedSearch(
  { db, limits }: InsightsContext,
  caller: Caller,
  id: string,
  body: SavedSearchWrite,
  now: number,
): Promise<SavedSearch> {
  const { organizationId } = caller
  return naming(
    db.tx(organizationId, async (tx) => {
      const before = await lockSavedSearch(tx, organizationId, caller.id, id)
      if (!before) throw savedSearchNotFound()
      const adopted = before.owner === null && caller.initiator.type === 'admin'
      if (before.owner !== caller.id && !adopted) throw notYours()
      const { created: _, updated: __, ...kept } = before
      const search = { id, owner: caller.id, ...contentOf(body, now, limits.events) }
      const changes = changesBetween(kept, search)
      if (changes.length === 0) return before
      const after = await saveSavedSearch(tx, organizationId, search)
      await record(tx, caller, 'update', after, changes)
      return after
    }),
  )
}

/**
 * By the owner. A shared one also by those who manage administrators, or by anyone when it has no owner, since it is in
 * everyone's list.
 */
export function removeSavedSearch(
  { db }: InsightsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const before = await lockSavedSearch(tx, organizationId, caller.id, id)
    if (!before) throw savedSearchNotFound()
    const { owner, shared, name, description, query, columns } = before
    if (owner !== null && owner !== caller.id && !caller.scopes.has('administrators'))
      throw notYours()
    await deleteSavedSearch(tx, organizationId, id)
    const content = { name, description, shared, query, columns }
    await record(tx, caller, 'delete', before, changesBetween(content, {}))
  })
}
