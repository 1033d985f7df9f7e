import { groupsOfUsers } from '../groups/index.ts'
import type { Queryable } from '../platform/db/index.ts'
import { type CompiledMapping, compileMapping, type Mapping } from '../platform/mapping/index.ts'
import { Pace } from '../platform/pace.ts'
import { SCHEMAS, type ScimUser } from '../scim/index.ts'
import { findUsers, toUser, type UserRow } from '../users/index.ts'
import { accountsByUser } from './account-store.ts'
import { type Wanted, wantedOf } from './desired.ts'
import { boundAmong } from './related-store.ts'
import type { Settings } from './settings.ts'

/** What should be at the provider for one user, as of now. */
export interface Desired {
  wanted: Wanted
  bound: boolean
  /** Absent: deleted. */
  user: UserRow | undefined
  /** Null unless present. */
  resource: ScimUser | null
  problems: string[]
}

/** The record that mappings read: the user, and the manager with the account at the same provider. */
interface Source extends Record<string, unknown> {
  managerAccount: Record<string, unknown> | null
}

const sourceOf = (
  user: UserRow,
  managers: ReadonlyMap<string, UserRow>,
  remoteIds: ReadonlyMap<string, string>,
  now: number,
): Source => {
  const manager = user.manager === null ? undefined : managers.get(user.manager)
  return {
    ...toUser(user, now),
    managerAccount: manager
      ? { ...toUser(manager, now), remoteId: remoteIds.get(manager.id) ?? null }
      : null,
  }
}

/** Adds what the protocol needs and no mapping may change. */
function complete(userId: string, mapped: Record<string, unknown>): ScimUser {
  const extensions = Object.keys(mapped).filter((name) => name.startsWith('urn:'))
  // The settings demand a rule for userName; a user without a value has a problem, and is not sent.
  return {
    userName: '',
    ...mapped,
    schemas: [SCHEMAS.User, ...extensions],
    externalId: userId,
    active: true,
  }
}

interface Loaded {
  users: Map<string, UserRow>
  sources: Map<string, Source>
  groups: Map<string, { id: string; name: string }[]>
}

/** The records of some users that mappings read, in a fixed number of statements. */
export async function loadSources(
  db: Queryable,
  organizationId: string,
  applicationId: string,
  userIds: readonly string[],
  withGroups: boolean,
  now: number,
): Promise<Loaded> {
  const users = await findUsers(db, organizationId, userIds)
  const managerIds = [...new Set(users.flatMap(({ manager }) => manager ?? []))]
  const managers = new Map<string, UserRow>()
  const remoteIds = new Map<string, string>()
  if (managerIds.length > 0) {
    for (const row of await findUsers(db, organizationId, managerIds)) managers.set(row.id, row)
    for (const { user_id, remote_id, state } of await accountsByUser(
      db,
      organizationId,
      applicationId,
      managerIds,
    ))
      if (remote_id !== null && state === 'provisioned') remoteIds.set(user_id, remote_id)
  }
  const groups = new Map<string, { id: string; name: string }[]>()
  if (withGroups)
    for (const { user_id, id, name } of await groupsOfUsers(db, organizationId, userIds))
      groups.set(user_id, [...(groups.get(user_id) ?? []), { id, name }])
  return {
    users: new Map(users.map((user) => [user.id, user])),
    sources: new Map(users.map((user) => [user.id, sourceOf(user, managers, remoteIds, now)])),
    groups,
  }
}

/** A false alarm costs a statement, and a right that whoever pushes groups has anyway. */
export const readsGroups = (mapping: Mapping): boolean => /"groups?":/.test(JSON.stringify(mapping))

/** Evaluates the desired state of many users of an application. */
export class Evaluator {
  readonly #mapping: CompiledMapping
  readonly #withGroups: boolean
  /** Whether the resource of a user depends on the manager's account. */
  readonly readsManagers: boolean

  constructor({ mapping }: Pick<Settings, 'mapping'>) {
    this.#mapping = compileMapping(mapping)
    this.#withGroups = readsGroups(mapping)
    this.readsManagers = this.#mapping.sources.some((path) => path.startsWith('managerAccount'))
  }

  async desired(
    db: Queryable,
    organizationId: string,
    applicationId: string,
    userIds: readonly string[],
    now: number,
  ): Promise<Map<string, Desired>> {
    const bound = await boundAmong(db, organizationId, applicationId, userIds)
    const loaded = await loadSources(
      db,
      organizationId,
      applicationId,
      userIds,
      this.#withGroups,
      now,
    )
    const pace = new Pace()
    const desired = new Map<string, Desired>()
    for (const id of userIds) {
      desired.set(id, this.#desiredOf(id, bound.has(id), loaded))
      await pace.breathe()
    }
    return desired
  }

  #desiredOf(id: string, bound: boolean, { users, sources, groups }: Loaded): Desired {
    const user = users.get(id)
    const wanted = wantedOf(bound, user)
    if (wanted !== 'present') return { wanted, bound, user, resource: null, problems: [] }
    const context = { groups: groups.get(id) ?? [] }
    const { result, problems } = this.#mapping.evaluate(sources.get(id)!, context)
    return {
      wanted,
      bound,
      user,
      resource: complete(id, result),
      problems: problems.map(({ target, problem }) => `${target}: ${problem}`),
    }
  }
}
