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
const byFilter = (ids: readonly string[]): PatchOperation[] =>
  ids.map((id) => ({ op: 'remove', path: `members[value eq ${JSON.stringify(id)}]` }))
const REMOVALS = {
  filter: byFilter,
  // One in each request: some providers take only one operation.
  single: byFilter,
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
  size = MAX_PER_PATCH,
): Promise<void> {
  for (let at = 0; at < ids.length; at += size)
    await patch(session, 'Group', id, operations(ids.slice(at, at + size)))
}

/** In the order in which they are tried. */
function removalsFor(known: Removal | undefined, several: boolean): Removal[] {
  if (known !== undefined && (known !== 'filter' || !several)) return [known]
  if (known !== undefined) return ['filter', 'single']
  return several ? ['filter', 'single', 'values'] : ['filter', 'values']
}

/** Returns the form that the provider accepted. */
async function removeMembers(
  session: Session,
  id: string,
  ids: readonly string[],
  forms = removalsFor(session.provider.quirks.removal, ids.length > 1),
): Promise<Removal> {
  const [form = 'filter', ...others] = forms
  try {
    await patchAll(session, id, ids, REMOVALS[form], form === 'single' ? 1 : MAX_PER_PATCH)
    return form
  } catch (error) {
    if (others.length === 0 || !refusesForm(error) || refusesMethod(error)) throw error
    return removeMembers(session, id, ids, others)
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
  if (proven) {
    provider.learn(accepted)
    return
  }
  const byPut = !(await shows(session, id, change)) && (await putShows(session, id, change))
  provider.learn(byPut ? { members: 'put' } : { members: 'patch', ...accepted })
}
