import { AppError } from '../platform/errors.ts'
import {
  applyWrite,
  checkRestricted,
  type UserRow,
  type UserState,
  userChanges,
} from '../users/index.ts'
import type { Incoming } from './incoming.ts'
import type { Match } from './match.ts'
import { mergeLists } from './merge.ts'
import type { Action } from './schema.ts'

export interface FieldChange {
  field: string
  from?: unknown
  to?: unknown
}

/** What is to be done for one record. `reason` and `message` say why nothing is. */
export interface Decision {
  action: Action
  userId: string | null
  changes: FieldChange[]
  reason?: string
  message?: string
  /** Only the link between record and user is new. */
  links?: true
  /** The user afterwards, for an existing one. */
  after?: UserRow
}

export interface Rules {
  create: boolean
  update: boolean
  /** Whether suspended users may become active. */
  reactivate: boolean
  /** For new users, when the mapping gives none. */
  state: UserState | null
  /** The fields that the source owns from now on; none when they are not protected. */
  owned: readonly string[]
  /** The application, as the owner of these fields. */
  owner: string
  now: Date
  makeId: () => string
}

/** What a record refers to, as far as it is known. */
export interface References {
  /** The id of the manager; undefined when the record names none, or one who is not known yet. */
  manager: string | undefined
  /** The groups to join that the user is not yet a member of. */
  joins: readonly { id: string; name: string }[]
  /** Groups that do not exist, or whose name several have. */
  unknownGroups: readonly string[]
}

const OWNER_TYPE = 'scim'

/** The state of an existing user afterwards. Nothing leads back to STAGED. */
function nextState(current: UserState, asked: UserState | null, reactivate: boolean): UserState {
  if (asked === 'SUSPENDED') return 'SUSPENDED'
  if (current === 'SUSPENDED') return reactivate && asked !== 'STAGED' ? 'ACTIVATED' : current
  return asked === 'ACTIVATED' ? 'ACTIVATED' : current
}

export function restrictionsOf(
  { owned, owner }: Pick<Rules, 'owned' | 'owner'>,
  before: NonNullable<UserRow['profile']['restrictedFields']> = [],
) {
  const others = before.filter(({ id, field }) => id !== owner && !owned.includes(field))
  return [...others, ...owned.map((field) => ({ field, id: owner, type: OWNER_TYPE }))]
}

/** Restrictions of other owners stay; the check refuses what they forbid. */
function ownedBody({ owned, owner }: Rules, { profile }: UserRow) {
  const before = profile.restrictedFields ?? []
  const foreign = new Set(before.filter(({ id }) => id !== owner).map(({ field }) => field))
  const mine = owned.filter((field) => !foreign.has(field))
  if (owned.length === 0 && !before.some(({ id }) => id === owner)) return {}
  return { restrictedFields: restrictionsOf({ owned: mine, owner }, before) }
}

const actionOf = (before: UserState, after: UserState): Action => {
  if (before === after) return 'update'
  return after === 'SUSPENDED' ? 'suspend' : before === 'SUSPENDED' ? 'reactivate' : 'update'
}

const joinChange = ({ joins }: References): FieldChange[] =>
  joins.length === 0 ? [] : [{ field: 'groups', to: joins.map(({ name }) => name) }]

function forNew(incoming: Incoming, references: References, rules: Rules): Decision {
  const nobody = { userId: null, changes: [] }
  const { write, state } = incoming
  if (!rules.create)
    return {
      action: 'skip',
      ...nobody,
      reason: 'create_not_asked',
      message: 'not in the directory',
    }
  for (const field of ['username', 'email'] as const)
    if (!write[field])
      return {
        action: 'park',
        ...nobody,
        reason: 'field_missing',
        message: `${field}: is required for a new user`,
      }
  const initial = state ?? rules.state
  const shown = { ...write, ...(initial && { state: initial }) }
  const changes: FieldChange[] = Object.entries(shown).map(([field, to]) => ({ field, to }))
  if (incoming.manager !== null)
    changes.push({ field: 'manager', to: references.manager ?? incoming.manager })
  return { action: 'create', userId: null, changes: [...changes, ...joinChange(references)] }
}

/** Pure, and the same in the plan and when it is applied. */
export function decide(
  incoming: Incoming,
  match: Match,
  references: References,
  rules: Rules,
): Decision {
  if ('conflict' in match) {
    const { conflict: reason, message } = match
    return { action: 'park', userId: null, changes: [], reason, message }
  }
  const { user: before } = match
  if (before === null) return forNew(incoming, references, rules)
  const userId = before.id
  if (!rules.update)
    return {
      action: 'skip',
      userId,
      changes: [],
      reason: 'update_not_asked',
      message: 'already in the directory',
    }
  const state = nextState(before.state, incoming.state, rules.reactivate)
  const body = {
    ...mergeLists(before.profile, incoming.write),
    ...ownedBody(rules, before),
    ...(references.manager !== undefined &&
      references.manager !== userId && { manager: references.manager }),
  }
  const after = applyWrite(before, body, state, {
    now: rules.now,
    makeId: rules.makeId,
    restrictedFields: [],
  })
  try {
    checkRestricted(before, after, rules.owner)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { reason, message } = error
    return { action: 'park', userId, changes: [], reason, message }
  }
  const changes = [...userChanges(before, after), ...joinChange(references)]
  const action = changes.length === 0 ? 'none' : actionOf(before.state, after.state)
  const links = action === 'none' && !match.linked
  return { action, userId, changes, ...(links && { links }), after }
}
