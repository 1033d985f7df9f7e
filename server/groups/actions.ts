import { isDeepStrictEqual } from 'node:util'
import {
  addNode,
  checkMayOpen,
  checkSudoGrant,
  deleteNode,
  holdNodes,
  restoreNode,
  setNodeAttributes,
} from '../graph/index.ts'
import { changesBetween, recordEvent } from '../insights/index.ts'
import { forEachOrganization } from '../organizations/index.ts'
import type { Caller } from '../platform/caller.ts'
import { isUniqueViolation, type Tx } from '../platform/db/index.ts'
import { conflict, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type Attributes, attributesAfter } from './attributes.ts'
import type { GroupContext } from './context.ts'
import { conditionOf } from './dynamic.ts'
import { evaluateGroupJob } from './job-definitions.ts'
import { readMemberQuery } from './member-query.ts'
import { auditFields, memberOf, toGroupDetail } from './records.ts'
import type { GroupDetail, GroupWrite } from './schema.ts'
import {
  findGroup,
  type GroupRow,
  type GroupType,
  insertGroup,
  lockGroup,
  markDeleted,
  purgeGroups,
  saveGroup,
  unmarkDeleted,
} from './store.ts'
import { countSuggestions } from './suggestion-store.ts'

/** How long a deleted group can be restored. */
const KEPT_DAYS = 30

export const groupNotFound = (type: GroupType) => notFound('group_not_found', `${type} not found`)
const nameTaken = () => conflict('group_name_taken', 'name: a group with this name already exists')

async function saving<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isUniqueViolation(error, 'groups_name')) throw nameTaken()
    throw error
  }
}

const resourceOf = ({ type, id, name }: GroupRow) => ({ type, id, name })
/** The fields that decide dynamic membership. */
const ruleOf = ({ membership_method, member_query, exempt_ids }: GroupRow) => ({
  membership_method,
  member_query,
  exempt_ids,
})
const isDynamic = ({ membership_method }: GroupRow) => membership_method.startsWith('DYNAMIC')

interface WriteOptions {
  /** The rule is in the v2 form. */
  newerQuery: boolean
}

/** The row after a full write: omitted members are reset to their defaults. */
function rowFrom(
  context: GroupContext,
  type: GroupType,
  id: string,
  body: GroupWrite,
  before: GroupRow | null,
  { newerQuery }: WriteOptions,
): GroupRow {
  const query = body.memberQuery ?? null
  if (query) {
    readMemberQuery(memberOf(type), query, newerQuery, context.limits.list)
    conditionOf(context, type, query)
  }
  return {
    id,
    type,
    name: body.name,
    description: body.description ?? '',
    email: body.email ?? '',
    attributes: attributesAfter(
      type,
      body.name,
      before?.attributes,
      body.attributes as Attributes | null | undefined,
    ),
    membership_method: body.membershipMethod ?? 'STATIC',
    member_query: query,
    exempt_ids: exemptIds(type, body.memberQueryExemptions ?? []),
    error_flags: [],
    suggestions_notify: body.memberSuggestionsNotify ?? false,
  }
}

export function exemptIds(type: GroupType, exemptions: { type: string; id: string }[]): string[] {
  // Published clients send the type in upper case.
  const wrong = exemptions.findIndex((exemption) => exemption.type.toLowerCase() !== memberOf(type))
  if (wrong >= 0)
    throw invalid(
      'bad_exemption',
      `memberQueryExemptions[${wrong}].type: must be ${memberOf(type)} in a ${type}`,
    )
  return [...new Set(exemptions.map(({ id }) => id))]
}

/** Checks new exemptions only: clients send old ones back, and their members may be deleted by now. */
async function checkExemptions(
  tx: Tx,
  organizationId: string,
  row: GroupRow,
  before: GroupRow | null,
): Promise<void> {
  const type = memberOf(row.type)
  const fresh = row.exempt_ids.filter((id) => !before?.exempt_ids.includes(id))
  if (fresh.length === 0) return
  const nodes = fresh.map((id) => ({ type, id }))
  const known = new Set((await holdNodes(tx, organizationId, nodes)).map(({ id }) => id))
  const missing = fresh.find((id) => !known.has(id))
  if (missing !== undefined)
    throw invalid(
      'bad_exemption',
      `memberQueryExemptions[${row.exempt_ids.indexOf(missing)}].id: ${type} not found`,
    )
}

async function detailOf(tx: Tx, organizationId: string, row: GroupRow): Promise<GroupDetail> {
  const counts = await countSuggestions(tx, organizationId, row.id)
  return toGroupDetail(row, organizationId, counts)
}

export async function getGroup(
  { db }: GroupContext,
  { organizationId }: Caller,
  type: GroupType,
  id: string,
): Promise<GroupDetail> {
  const tenant = db.tenant(organizationId)
  const [row, counts] = await Promise.all([
    findGroup(tenant, organizationId, type, id),
    countSuggestions(tenant, organizationId, id),
  ])
  if (!row) throw groupNotFound(type)
  return toGroupDetail(row, organizationId, counts)
}

export async function createGroup(
  context: GroupContext,
  caller: Caller,
  type: GroupType,
  body: GroupWrite,
  options: WriteOptions,
): Promise<GroupDetail> {
  const { organizationId } = caller
  const row = rowFrom(context, type, newId(), body, null, options)
  checkSudoGrant(caller, null, row.attributes)
  return saving(
    context.db.tx(organizationId, async (tx) => {
      await checkExemptions(tx, organizationId, row, null)
      await addNode(tx, organizationId, type, row.id, row.attributes)
      await insertGroup(tx, organizationId, row)
      const eventId = await recordEvent(tx, caller, {
        event_type: 'group_create',
        resource: resourceOf(row),
        changes: changesBetween({}, auditFields(row)),
      })
      if (isDynamic(row))
        await context.send(tx, evaluateGroupJob, { organizationId, type, id: row.id })
      await context.changed.fire(tx, caller, {
        type,
        groupId: row.id,
        before: null,
        after: row,
        eventId,
      })
      return detailOf(tx, organizationId, row)
    }),
  )
}

export function replaceGroup(
  context: GroupContext,
  caller: Caller,
  type: GroupType,
  id: string,
  body: GroupWrite,
  options: WriteOptions,
): Promise<GroupDetail> {
  const { organizationId } = caller
  return saving(
    context.db.tx(organizationId, async (tx) => {
      const before = await lockGroup(tx, organizationId, type, id)
      if (!before) throw groupNotFound(type)
      const after = rowFrom(context, type, id, body, before, options)
      const changes = changesBetween(auditFields(before), auditFields(after))
      if (changes.length === 0) return detailOf(tx, organizationId, after)
      checkSudoGrant(caller, before.attributes, after.attributes)
      if (isDynamic(after) && !isDeepStrictEqual(ruleOf(before), ruleOf(after)))
        await checkMayOpen(tx, caller, { type, id })
      await checkExemptions(tx, organizationId, after, before)
      await saveGroup(tx, organizationId, after)
      await setNodeAttributes(tx, organizationId, type, id, after.attributes)
      const eventId = await recordEvent(tx, caller, {
        event_type: 'group_update',
        resource: resourceOf(after),
        changes,
      })
      // Also when it no longer has a rule, to delete its suggestions.
      if (isDynamic(before) || isDynamic(after))
        await context.send(tx, evaluateGroupJob, { organizationId, type, id })
      await context.changed.fire(tx, caller, { type, groupId: id, before, after, eventId })
      return detailOf(tx, organizationId, after)
    }),
  )
}

/** Soft delete: hidden, and restorable with its members and associations for 30 days. */
export function removeGroup(
  { db, changed }: GroupContext,
  caller: Caller,
  type: GroupType,
  id: string,
): Promise<GroupDetail> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const row = await lockGroup(tx, organizationId, type, id)
    if (!row) throw groupNotFound(type)
    const eventId = await recordEvent(tx, caller, {
      event_type: 'group_delete',
      resource: resourceOf(row),
    })
    await markDeleted(tx, organizationId, id)
    // Listeners first: they may need the group's edges.
    await changed.fire(tx, caller, { type, groupId: id, before: row, after: null, eventId })
    await deleteNode(tx, organizationId, type, id, eventId)
    return detailOf(tx, organizationId, row)
  })
}

export function restoreGroup(
  context: GroupContext,
  caller: Caller,
  type: GroupType,
  id: string,
): Promise<GroupDetail> {
  const { organizationId } = caller
  return saving(
    context.db.tx(organizationId, async (tx) => {
      const row = await unmarkDeleted(tx, organizationId, type, id)
      if (!row) throw groupNotFound(type)
      const eventId = await recordEvent(tx, caller, {
        event_type: 'group_restore',
        resource: resourceOf(row),
      })
      await restoreNode(tx, organizationId, type, id, eventId)
      if (isDynamic(row)) await context.send(tx, evaluateGroupJob, { organizationId, type, id })
      await context.changed.fire(tx, caller, {
        type,
        groupId: id,
        before: null,
        after: row,
        eventId,
      })
      return detailOf(tx, organizationId, row)
    }),
  )
}

export async function purgeDeletedGroups({ db }: GroupContext, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000).toISOString()
  await forEachOrganization(db, (id) => purgeGroups(db.tenant(id), id, before))
}
