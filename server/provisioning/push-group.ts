import { membersOf } from '../graph/index.ts'
import { messageOf } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { backoff } from '../platform/outbound/retry.ts'
import { SCHEMAS, ScimClient, ScimFailure } from '../scim/index.ts'
import type { ProvisioningContext } from './context.ts'
import { messageChain, recordProvision } from './events.ts'
import {
  accountsOfMembers,
  forgetMembers,
  type GroupAccountRow,
  type GroupResult,
  saveGroup,
  saveMembers,
  writtenMembers,
} from './group-store.ts'
import { boundGroups, groupExists } from './related-store.ts'
import type { Lease } from './run-store.ts'
import type { Session } from './session.ts'

interface Member {
  user_id: string
  remote_id: string
}

/** Members changed between two saves, so that a large group can go on where it stopped. */
const CHUNK = 1000
const MAX_ATTEMPTS = 200

/** Pushed while it is bound, left as it is when it is unbound, deleted when it is deleted here. */
type Wanted = { kind: 'present'; name: string } | { kind: 'left' } | { kind: 'deleted' }

async function wantedOf(
  { db }: ProvisioningContext,
  { organizationId, applicationId, settings: { groups } }: Session,
  groupId: string,
): Promise<Wanted> {
  const tenant = db.tenant(organizationId)
  const bound = await boundGroups(tenant, organizationId, applicationId)
  const found = bound.find(({ id }) => id === groupId)
  if (found) {
    const pushed = groups.push && (groups.only === null || groups.only.includes(groupId))
    return pushed ? { kind: 'present', name: found.name } : { kind: 'left' }
  }
  const exists = await groupExists(tenant, organizationId, groupId)
  return exists || !groups.push ? { kind: 'left' } : { kind: 'deleted' }
}

/** Those of `from` that `other` lacks, or has under another id of the provider. */
const difference = (from: readonly Member[], other: readonly Member[]): Member[] => {
  const known = new Map(other.map(({ user_id, remote_id }) => [user_id, remote_id]))
  return from.filter(({ user_id, remote_id }) => known.get(user_id) !== remote_id)
}

const remoteIds = (members: readonly Member[]) => members.map(({ remote_id }) => remote_id)

/** One group of one connection, from what was written to what is wanted. */
class GroupPush {
  readonly #context: ProvisioningContext
  readonly #session: Session
  readonly #lease: Lease
  readonly #client: ScimClient
  event: 'group_create_provision' | 'group_update_provision' | 'group_delete_provision' | null =
    null
  row: GroupAccountRow

  constructor(context: ProvisioningContext, session: Session, lease: Lease, row: GroupAccountRow) {
    this.#context = context
    this.#session = session
    this.#lease = lease
    this.row = row
    this.#client = new ScimClient(session.provider)
  }

  async run(): Promise<void> {
    const wanted = await wantedOf(this.#context, this.#session, this.row.group_id)
    if (wanted.kind === 'present') {
      this.row = { ...this.row, name: wanted.name }
      await this.#present(wanted.name)
    } else if (wanted.kind === 'deleted' && this.row.remote_id !== null) await this.#delete()
    else this.row = { ...this.row, state: this.row.state === 'deleted' ? 'deleted' : 'none' }
  }

  async #present(name: string): Promise<void> {
    const { organizationId, applicationId } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    const group = { type: 'user_group', id: this.row.group_id } as const
    const ids = await membersOf(tenant, organizationId, group)
    const wanted = await accountsOfMembers(tenant, organizationId, applicationId, ids)
    // An empty group is not created, as the reference service does not either.
    if (this.row.remote_id === null && wanted.length === 0) {
      this.row = { ...this.row, state: 'none' }
      return
    }
    try {
      await this.#write(name, wanted)
    } catch (error) {
      if (!(error instanceof ScimFailure && error.kind === 'not_found')) throw error
      if (this.row.remote_id === null) throw error
      // Created just now: the provider needs a moment to show it, and would get a second one.
      if (this.event === 'group_create_provision')
        throw new ScimFailure('transient', 'The provider does not show the new group yet')
      await this.#forget()
      await this.#write(name, wanted)
    }
    this.row = { ...this.row, state: 'provisioned' }
  }

  async #write(name: string, wanted: Member[]): Promise<void> {
    if (this.row.remote_id === null) await this.#create(name)
    const id = this.row.remote_id!
    const { written_name } = this.row
    const written = await this.#written()
    if (written_name !== name) {
      const change = {
        ...(written_name !== null && { before: { displayName: written_name } }),
        after: { displayName: name },
      }
      await this.#begin([])
      await this.#client.updateGroup(id, change, async () => remoteIds(written))
      this.event ??= 'group_update_provision'
    }
    await this.#writeMembers(id, wanted, written, written_name === null)
    this.row = { ...this.row, written_name: name }
  }

  /**
   * Responses may be lost, and this process may die: until all is written the name counts as unknown, and new members as
   * written, so that whoever is not wanted by then is removed.
   */
  async #begin(added: Member[]): Promise<void> {
    const { organizationId, applicationId } = this.#session
    this.row = { ...this.row, written_name: null }
    await this.#context.db.tx(organizationId, async (tx) => {
      await saveMembers(tx, organizationId, applicationId, this.row.group_id, added, [])
      await saveGroup(tx, organizationId, this.#lease, this.#result(false))
    })
  }

  async #create(name: string): Promise<void> {
    const { group_id } = this.row
    const keys = { externalId: group_id, name }
    const resource = { schemas: [SCHEMAS.Group], externalId: group_id, displayName: name }
    let found = await this.#client.find('Group', keys)
    if (!found) {
      try {
        const { id } = await this.#client.create('Group', resource)
        this.event = 'group_create_provision'
        this.row = { ...this.row, remote_id: id, written_name: name }
        return
      } catch (error) {
        if (!(error instanceof ScimFailure && error.kind === 'exists')) throw error
        found = await this.#client.find('Group', keys)
        if (!found) throw error
      }
    }
    this.event = 'group_update_provision'
    const same = found.displayName === name
    this.row = { ...this.row, remote_id: found.id, written_name: same ? name : null }
  }

  #written(): Promise<Member[]> {
    const { organizationId, applicationId } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    return writtenMembers(tenant, organizationId, applicationId, this.row.group_id)
  }

  /** The members that the provider lists; null if it lists none, or too many. */
  async #listed(id: string): Promise<Set<unknown> | null> {
    try {
      const { members } = await this.#client.get('Group', id)
      if (!Array.isArray(members) || members.length === 0) return null
      return new Set(members.map((member) => Object(member).value))
    } catch (error) {
      if (error instanceof ScimFailure && error.kind === 'rejected') return null
      throw error
    }
  }

  /**
   * Differences from what we wrote. What the provider returns counts only after a write whose outcome is unknown: members
   * whom it lists need not be added again, and some providers would list them twice.
   */
  async #writeMembers(
    id: string,
    wanted: Member[],
    written: Member[],
    unsure: boolean,
  ): Promise<void> {
    const { organizationId, applicationId } = this.#session
    const listed = unsure && wanted.length + written.length > 0 ? await this.#listed(id) : null
    const stale = difference(written, wanted)
    const removed = listed ? stale.filter(({ remote_id }) => listed.has(remote_id)) : stale
    const added = unsure
      ? wanted.filter(({ remote_id }) => !listed?.has(remote_id))
      : difference(wanted, written)
    const gone = new Set(remoteIds(stale))
    const current = new Set(remoteIds(written).filter((one) => !gone.has(one)))
    for (let at = 0; at < Math.max(removed.length, added.length); at += CHUNK) {
      const [remove, add] = [removed.slice(at, at + CHUNK), added.slice(at, at + CHUNK)]
      for (const { remote_id } of add) current.add(remote_id)
      await this.#begin(add)
      await this.#client.changeMembers(id, {
        add: remoteIds(add),
        remove: remoteIds(remove),
        all: async () => [...current],
      })
      this.event ??= 'group_update_provision'
    }
    const tenant = this.#context.db.tenant(organizationId)
    const fresh = difference(wanted, written)
    await saveMembers(tenant, organizationId, applicationId, this.row.group_id, fresh, stale)
  }

  async #delete(): Promise<void> {
    await this.#client.remove('Group', this.row.remote_id!)
    this.event = 'group_delete_provision'
    await this.#forget()
    this.row = { ...this.row, state: 'deleted' }
  }

  async #forget(): Promise<void> {
    const { organizationId, applicationId } = this.#session
    await forgetMembers(
      this.#context.db.tenant(organizationId),
      organizationId,
      applicationId,
      this.row.group_id,
    )
    this.row = { ...this.row, remote_id: null, written_name: null }
  }

  #result(done: boolean): GroupResult {
    const { group_id, revision, name, state, remote_id, written_name, next_at, attempts } = this.row
    const same = { group_id, revision, name, state, remote_id, written_name }
    return done
      ? { ...same, next_at: null, attempts: 0, error_kind: null, error: null, parked: false }
      : { ...same, next_at, attempts, error_kind: null, error: this.row.error, parked: false }
  }

  get chain() {
    return this.#client.chain
  }

  done(): GroupResult {
    return this.#result(true)
  }
}

/** Returns the failure, if any; it is saved with the group. */
export async function pushGroup(
  context: ProvisioningContext,
  session: Session,
  lease: Lease,
  row: GroupAccountRow,
  log: Logger,
): Promise<ScimFailure | null> {
  const { db, now = Date.now } = context
  const { organizationId } = session
  const push = new GroupPush(context, session, lease, row)
  let failure: ScimFailure | null = null
  try {
    await push.run()
  } catch (error) {
    if (!(error instanceof ScimFailure)) log.error({ err: error }, 'provisioning of a group failed')
    failure =
      error instanceof ScimFailure
        ? error
        : new ScimFailure('transient', `Internal error: ${messageOf(error)}`)
  }
  const result: GroupResult = failure ? failedGroup(push.row, failure, now()) : push.done()
  const event = failure ? (push.event ?? 'group_update_provision') : push.event
  await db.tx(organizationId, async (tx) => {
    await saveGroup(tx, organizationId, lease, result)
    if (event)
      await recordProvision(tx, session, {
        event_type: event,
        resource: { type: 'user_group', id: row.group_id, name: result.name },
        message_chain: messageChain(push.chain, failure ?? undefined),
        ...(failure && { success: false, error_message: failure.message }),
      })
  })
  return failure
}

function failedGroup(row: GroupAccountRow, failure: ScimFailure, now: number): GroupResult {
  // A pause that the provider asks for says nothing about this group.
  const attempts = row.attempts + (failure.retryAfterMs > 0 ? 0 : 1)
  const again =
    failure.kind === 'misconfigured' || (failure.kind === 'transient' && attempts < MAX_ATTEMPTS)
  const wait = failure.retryAfterMs > 0 ? failure.retryAfterMs : backoff(attempts)
  return {
    group_id: row.group_id,
    revision: row.revision,
    name: row.name,
    state: row.state,
    remote_id: row.remote_id,
    written_name: row.written_name,
    attempts,
    error_kind: failure.kind,
    error: failure.message,
    parked: !again,
    next_at: again ? new Date(now + wait).toISOString() : null,
  }
}
