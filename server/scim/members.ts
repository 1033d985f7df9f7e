import { ensureConfig } from './config.ts'
import { ScimFailure } from './failures.ts'
import { isObject } from './resource.ts'
import type { Session } from './session.ts'
import type { PatchOperation } from './types.ts'
import { type Members, patch, put, refusesForm, refusesMethod } from './write.ts'

/** Ids of users at the provider. */
export interface MemberChange {
  add: readonly string[]
  remove: readonly string[]
  /** All members after the change. */
  all: Members
}

const MAX_PER_PATCH = 100

const valuesOf = (ids: readonly string[]) => ids.map((value) => ({ value }))
const addition = (ids: readonly string[]): PatchOperation[] => [
  { op: 'add', path: 'members', value: valuesOf(ids) },
]
const REMOVALS = {
  filter: (ids: readonly string[]): PatchOperation[] =>
    ids.map((id) => ({ op: 'remove', path: `members[value eq ${JSON.stringify(id)}]` })),
  // By the standard this removes all members, so it is used only where the filter is refused.
  values: (ids: readonly string[]): PatchOperation[] => [
    { op: 'remove', path: 'members', value: valuesOf(ids) },
  ],
}
type Removal = keyof typeof REMOVALS

async function patchAll(
  session: Session,
  id: string,
  ids: readonly string[],
  operations: (ids: readonly string[]) => PatchOperation[],
): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_PER_PATCH)
    await patch(session, 'Group', id, operations(ids.slice(at, at + MAX_PER_PATCH)))
}

/** Returns the form that the provider accepted. */
async function removeMembers(
  session: Session,
  id: string,
  ids: readonly string[],
): Promise<Removal> {
  const known = session.provider.quirks.removal
  try {
    await patchAll(session, id, ids, REMOVALS[known ?? 'filter'])
    return known ?? 'filter'
  } catch (error) {
    if (known || !refusesForm(error) || refusesMethod(error)) throw error
    await patchAll(session, id, ids, REMOVALS.values)
    return 'values'
  }
}

const putMembers = (session: Session, id: string, all: Members) =>
  put(session, 'Group', id, { after: {} }, all)

/** Whether the provider lists the members as they should be. True if the list is too long to be read. */
async function shows(
  session: Session,
  id: string,
  { remove, all }: MemberChange,
): Promise<boolean> {
  try {
    const { members } = await session.get('Group', id)
    const listed = new Set(
      Array.isArray(members) ? members.map((one) => isObject(one) && one.value) : [],
    )
    return (await all()).every((one) => listed.has(one)) && !remove.some((one) => listed.has(one))
  } catch (error) {
    if (error instanceof ScimFailure && error.kind === 'rejected') return true
    throw error
  }
}

/** Whether PUT has the effect that PATCH did not have. */
async function putShows(session: Session, id: string, change: MemberChange): Promise<boolean> {
  try {
    await putMembers(session, id, change.all)
    return await shows(session, id, change)
  } catch (error) {
    if (refusesForm(error)) return false
    throw error
  }
}

/**
 * Changes members by difference. Some providers accept such a PATCH and ignore it, others never list members; so the first
 * change is read back, and then sent by PUT if it is not to be seen.
 */
export async function changeMembers(
  session: Session,
  id: string,
  change: MemberChange,
): Promise<void> {
  const { add, remove, all } = change
  if (add.length === 0 && remove.length === 0) return
  await ensureConfig(session)
  const { provider } = session
  const { members, removal } = provider.quirks
  if (members === 'put') {
    await putMembers(session, id, all)
    return
  }
  const proven = members === 'patch' && (remove.length === 0 || removal !== undefined)
  const accepted: { removal?: Removal } = {}
  try {
    await patchAll(session, id, add, addition)
    if (remove.length > 0) accepted.removal = await removeMembers(session, id, remove)
  } catch (error) {
    if (proven || !refusesForm(error)) throw error
    await putMembers(session, id, all).catch((second) => {
      throw refusesForm(second) && second.kind !== 'not_found' ? error : second
    })
    provider.learn({ members: 'put' })
    return
  }
  if (proven) return
  const byPut = !(await shows(session, id, change)) && (await putShows(session, id, change))
  provider.learn(byPut ? { members: 'put' } : { members: 'patch', ...accepted })
}
