import { changeEdge } from '../graph/index.ts'
import type { BatchRow } from '../platform/batches/row-store.ts'
import type { Finish, FinishAll } from '../platform/batches/run.ts'
import type { Batch } from '../platform/batches/store.ts'
import type { Tx } from '../platform/db/index.ts'
import { AppError, conflict, invalid } from '../platform/errors.ts'
import {
  addUsers,
  changeLockedUser,
  lockUser,
  type PreparedUser,
  prepareUser,
  type UserActor,
  type UserCreate,
  type UserSettings,
  userFingerprint,
  userSettings,
  whileNumbered,
  whileUnique,
} from '../users/index.ts'
import { findReferences, matchAll } from './candidates.ts'
import type { ImportContext } from './context.ts'
import { type Decision, decide, type References, type Rules, restrictionsOf } from './decide.ts'
import type { Incoming } from './incoming.ts'
import {
  incomingOf,
  keyOf,
  type RowInput,
  type RowResult,
  rulesOf,
  type StoredResult,
  sourceOf,
} from './job.ts'
import { type SourceKey, saveLinks } from './link-store.ts'
import type { Match } from './match.ts'
import { checkMayJoin } from './rights.ts'
import { ENTRY, type Settings } from './settings.ts'

/** What every row of a job needs. */
export interface Applying {
  batch: Batch
  settings: Settings
  rules: Rules
  actor: UserActor
}

export const applying = (batch: Batch, settings: Settings, actor: UserActor): Applying => ({
  batch,
  settings,
  rules: rulesOf(batch, settings),
  actor,
})

export const DONE: Record<Decision['action'], string> = {
  create: 'created',
  update: 'updated',
  suspend: 'suspended',
  reactivate: 'reactivated',
  none: 'unchanged',
  skip: 'skipped',
  park: 'parked',
}

/** The state of the directory is not the one that this way of applying needs; the other way is tried. */
class OtherWay extends Error {}

async function decided(tx: Tx, { batch, rules }: Applying, incoming: Incoming) {
  const key = keyOf(batch)
  const [first] = await matchAll(tx, key, [incoming])
  const found = first!
  // Decided on the locked row: nobody changes it until this transaction ends.
  const locked =
    'user' in found && found.user
      ? await lockUser(tx, key.organizationId, found.user.id)
      : undefined
  const matched = locked && 'user' in found ? { ...found, user: locked } : found
  const [references] = await findReferences(tx, key, [incoming], [matched])
  const decision = decide(incoming, matched, references!, rules)
  if (decision.action === 'park')
    throw conflict(decision.reason ?? 'parked', decision.message ?? 'parked')
  const isLinked = 'linked' in found && found.linked
  return { decision, references: references!, before: locked, isLinked }
}

/** Adds users to groups, as events of the job; in the order of the groups, so that two transactions do not deadlock. */
async function join(
  { edges }: ImportContext,
  tx: Tx,
  actor: UserActor,
  userIds: readonly string[],
  references: readonly References[],
): Promise<void> {
  const memberships = references.flatMap(({ joins }, at) =>
    joins.map(({ id }) => ({ id, userId: userIds[at]! })),
  )
  if (memberships.length > 0) checkMayJoin(actor)
  for (const { id, userId } of memberships.sort((a, b) => (a.id < b.id ? -1 : 1)))
    await changeEdge(edges, tx, actor, {
      source: { type: 'user_group', id },
      target: { type: 'user', id: userId },
      op: 'add',
    })
}

const joinedOf = ({ joins }: References): string[] => joins.map(({ id }) => id)

export const unknownManager = (reference: string): string =>
  `; the manager "${reference}" is not known yet`

const noteOf = (incoming: Incoming, { manager, unknownGroups }: References): string => {
  const waits = incoming.manager !== null && manager === undefined
  const groups = unknownGroups.map((name) => `; there is no single group "${name}"`)
  return `${waits ? unknownManager(incoming.manager!) : ''}${groups.join('')}`
}

function resultOf(
  incoming: Incoming,
  { after: _, ...decision }: Decision,
  references: References,
  more: Partial<RowResult>,
): RowResult {
  const waits = incoming.manager !== null && references.manager === undefined
  return {
    ...decision,
    externalId: incoming.externalId,
    ...(waits && { managerRef: incoming.manager! }),
    ...more,
  }
}

function storedOf(
  { plan }: RowInput,
  { changes, ...result }: RowResult,
  { manager }: References,
): StoredResult {
  if (plan.action !== 'create') return { ...result, changes }
  return { ...result, ...(manager !== undefined && { manager }) }
}

/** One of the two ways to apply a row. */
type Way = (context: ImportContext, job: Applying, input: RowInput, finish: Finish) => Promise<void>

const NOBODY: Match = { user: null, linked: false }
/** The reasons why a new user cannot be added: somebody is there already. */
const TAKEN = ['username_taken', 'email_taken']

/** All of a new user that needs no transaction. */
async function prepare(
  { users }: ImportContext,
  { batch, settings, rules }: Applying,
  defaults: UserSettings,
  incoming: Incoming,
): Promise<PreparedUser> {
  const state = incoming.state ?? rules.state
  const body = {
    ...incoming.write,
    ...(state !== null && { state }),
    ...(rules.owned.length > 0 && { restrictedFields: restrictionsOf(rules) }),
  } as UserCreate
  if (!body.username || !body.email)
    throw invalid('field_missing', 'username and email are required for a new user')
  return prepareUser(users, batch.organization_id, defaults, body, {
    source: sourceOf(settings),
    way: ENTRY[settings.source.kind].way,
    mail: settings.activationEmails,
  })
}

/** What the records refer to, each other included. */
async function referencesOfNew(
  tx: Tx,
  key: SourceKey,
  records: readonly Incoming[],
  ids: readonly string[],
): Promise<References[]> {
  const nobody = records.map(() => NOBODY)
  const found = await findReferences(tx, key, records, nobody)
  const idOf = new Map(records.map(({ externalId }, at) => [externalId, ids[at]!]))
  return found.map((references, at) => {
    const manager = idOf.get(records[at]!.manager ?? '')
    return manager === undefined || manager === ids[at] ? references : { ...references, manager }
  })
}

/** Adds new users in one transaction. The indexes tell whether somebody is there already, so nobody is looked up first. */
async function create(
  context: ImportContext,
  job: Applying,
  inputs: readonly RowInput[],
  finish: FinishAll,
): Promise<void> {
  const { batch, rules, actor } = job
  const records = inputs.map(incomingOf)
  const { users } = context
  const key = keyOf(batch)
  const defaults = await userSettings(context.db, key.organizationId)
  const prepared = await Promise.all(
    records.map((record) => prepare(context, job, defaults, record)),
  )
  const ids = prepared.map(({ row }) => row.id)
  const add = (attempt: readonly PreparedUser[]) =>
    context.db.tx(key.organizationId, async (tx) => {
      const references = await referencesOfNew(tx, key, records, ids)
      const decisions = records.map((record, at) => decide(record, NOBODY, references[at]!, rules))
      if (decisions.some(({ action }) => action !== 'create')) throw new OtherWay()
      const managed = attempt.map((user, at) => ({
        ...user,
        row: { ...user.row, manager: references[at]!.manager ?? null },
      }))
      await addUsers(users, tx, actor, managed)
      const links = records.map(({ externalId }, at) => ({ externalId, userId: ids[at]! }))
      if ((await saveLinks(tx, key, links)) < links.length) throw new OtherWay()
      await join(context, tx, actor, ids, references)
      const results = managed.map(({ row }, at) => {
        const [record, mine] = [records[at]!, references[at]!]
        const made = { userId: row.id, linked: true, fingerprint: userFingerprint(row) }
        const done = resultOf(record, decisions[at]!, mine, { ...made, joined: joinedOf(mine) })
        return {
          message: `${DONE.create}${noteOf(record, mine)}`,
          result: storedOf(inputs[at]!, done, mine),
        }
      })
      await finish(tx, results)
    })
  try {
    await whileNumbered(users, prepared, add)
  } catch (error) {
    const somebody = error instanceof AppError && TAKEN.includes(error.reason)
    throw somebody ? new OtherWay() : error
  }
}

const createOne: Way = (context, job, input, finish) =>
  create(context, job, [input], (tx, [only]) => finish(tx, only!.message, only!.result))

const changeOne: Way = async (context, job, input, finish) => {
  const { batch, settings, actor } = job
  const incoming = incomingOf(input)
  const key = keyOf(batch)
  await whileUnique(() =>
    context.db.tx(key.organizationId, async (tx) => {
      const { decision, references, before, isLinked } = await decided(tx, job, incoming)
      if (decision.action === 'create') throw new OtherWay()
      let more: Partial<RowResult> = {}
      if (before && decision.after) {
        await changeLockedUser(context.users, tx, actor, before, decision.after, {
          owner: key.applicationId,
          mail: settings.activationEmails,
        })
        const link = { externalId: incoming.externalId, userId: before.id }
        const linked = !isLinked && (await saveLinks(tx, key, [link])) > 0
        await join(context, tx, actor, [before.id], [references])
        more = { linked, joined: joinedOf(references) }
      }
      await finish(
        tx,
        `${DONE[decision.action]}${noteOf(incoming, references)}`,
        resultOf(incoming, decision, references, more),
      )
    }),
  )
}

const recordOf = ({ input }: BatchRow) => input as unknown as RowInput

/** New users, as far as the plan knows, are added together. */
export const isNew = (row: BatchRow): boolean => recordOf(row).plan.action === 'create'

export const applyNew = (
  context: ImportContext,
  job: Applying,
  rows: readonly BatchRow[],
  finish: FinishAll,
): Promise<void> => create(context, job, rows.map(recordOf), finish)

/** Applies one row, decided again on what the directory holds now. */
export async function applyRow(
  context: ImportContext,
  job: Applying,
  row: BatchRow,
  finish: Finish,
): Promise<void> {
  const input = recordOf(row)
  const { plan, unreadable } = input
  if (unreadable) throw invalid(plan.reason ?? 'unreadable', plan.message ?? 'unreadable')
  const ways = [createOne, changeOne]
  if (plan.action !== 'create') ways.reverse()
  for (const way of ways)
    try {
      return await way(context, job, input, finish)
    } catch (error) {
      if (!(error instanceof OtherWay)) throw error
    }
  throw conflict('changing', 'the user is being changed by others; retry the row')
}
