import { messageOf } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { ScimClient, type ScimExchange, ScimFailure } from '../scim/index.ts'
import {
  type AccountResult,
  type AccountRow,
  lockAccounts,
  saveResults,
  saveUnderWay,
  touchAccountsOf,
} from './account-store.ts'
import type { ProvisioningContext } from './context.ts'
import { changedAttributes, decide, type Step, underWay } from './desired.ts'
import type { Desired } from './evaluate.ts'
import { messageChain, type ProvisionEvent, recordProvisions } from './events.ts'
import { touchAllGroups } from './group-store.ts'
import { failed, settled, succeeded } from './outcome.ts'
import { type Directory, type Pushed, pushUser } from './push-user.ts'
import { reportsOf } from './related-store.ts'
import type { Lease } from './run-store.ts'
import type { Session } from './session.ts'

/** The outcome of one comparison, with the event that it leaves. */
interface Outcome {
  result: AccountResult
  event?: ProvisionEvent
  failure?: ScimFailure
  /** The set of active accounts has changed: memberships and managers follow. */
  moved?: boolean
}

const EVENT_OF = {
  create: 'user_create_provision',
  update: 'user_update_provision',
  deactivate: 'user_deprovision',
  delete: 'user_delete_provision',
} as const

const resourceOf = (row: AccountRow, { user }: Desired) => ({
  type: 'user',
  id: row.user_id,
  username: user?.username ?? row.username,
})

function asFailure(error: unknown, log: Logger): ScimFailure {
  if (error instanceof ScimFailure) return error
  log.error({ err: error }, 'provisioning failed')
  return new ScimFailure('transient', `Internal error: ${messageOf(error)}`)
}

/** Steps of one batch: compares each account with what is wanted, and writes the difference. */
export class Batch {
  readonly #context: ProvisioningContext
  readonly #session: Session
  readonly #log: Logger

  constructor(context: ProvisioningContext, session: Session, log: Logger) {
    this.#context = context
    this.#session = session
    this.#log = log
  }

  get #now(): number {
    return (this.#context.now ?? Date.now)()
  }

  #decide(row: AccountRow, { wanted, resource }: Desired): Step {
    return decide(wanted, row, resource, this.#session.settings.deprovision, this.#now)
  }

  /**
   * Returns the rows as they are to be written. Responses may be lost, and this process may die; so the attributes that
   * are about to change count as unknown until then. False: another worker has the connection now.
   */
  async begin(
    lease: Lease,
    rows: readonly AccountRow[],
    desired: ReadonlyMap<string, Desired>,
  ): Promise<AccountRow[] | false> {
    const { organizationId } = this.#session
    const begun = rows.map((row) => {
      const wish = desired.get(row.user_id)!
      const { action } = this.#decide(row, wish)
      if (action === 'none' || action === 'create') return row
      const before = row.written ?? {}
      return { ...row, written: underWay(before, wish.resource ?? { ...before, active: false }) }
    })
    const writes = begun
      .filter((row, at) => row !== rows[at])
      .map(({ user_id, written }) => ({ user_id, written }))
    if (writes.length === 0) return begun
    const tenant = this.#context.db.tenant(organizationId)
    const count = await saveUnderWay(tenant, organizationId, lease, writes)
    return count === writes.length && begun
  }

  async step(row: AccountRow, desired: Desired, directory: Directory | null): Promise<Outcome> {
    const client = new ScimClient(this.#session.provider)
    try {
      const found = await this.#leftBehind(client, row, desired, directory)
      return await this.#push(client, found ?? row, desired, directory)
    } catch (error) {
      const failure = asFailure(error, this.#log)
      return this.#failed(row, desired, { action: 'deactivate' }, failure, client.chain)
    }
  }

  /**
   * The account of a user who is out, and has none as far as we know: a creation may have taken effect although its
   * response was lost, or the worker died.
   */
  async #leftBehind(
    client: ScimClient,
    row: AccountRow,
    { wanted, user }: Desired,
    directory: Directory | null,
  ): Promise<AccountRow | undefined> {
    if (wanted !== 'gone' || row.state !== 'pending' || row.remote_id !== null) return undefined
    const [externalId, name] = [row.user_id, user?.username ?? row.username]
    try {
      const found = directory
        ? directory.find(externalId, name)
        : await client.find('User', { externalId, name })
      // Without our id it may be somebody's own.
      if (found?.externalId !== externalId) return undefined
      return { ...row, remote_id: found.id, state: 'provisioned' }
    } catch (error) {
      if (error instanceof ScimFailure && ['rejected', 'exists'].includes(error.kind))
        return undefined
      throw error
    }
  }

  async #push(
    client: ScimClient,
    row: AccountRow,
    desired: Desired,
    directory: Directory | null,
  ): Promise<Outcome> {
    const step = this.#decide(row, desired)
    if (step.action === 'none') return { result: settled(row, desired, step.state) }
    if (desired.problems.length > 0) {
      const message = `Required attributes are missing: ${desired.problems.join('; ')}`
      return this.#failed(row, desired, step, new ScimFailure('rejected', message), [])
    }
    const target = { remoteId: row.remote_id, written: row.written }
    const { adopt } = this.#session.settings
    try {
      const pushed = await pushUser(client, step.action, target, desired, adopt, directory)
      return this.#succeeded(row, desired, pushed, client.chain)
    } catch (error) {
      return this.#failed(row, desired, step, asFailure(error, this.#log), client.chain)
    }
  }

  #succeeded(
    row: AccountRow,
    desired: Desired,
    pushed: Pushed,
    exchanges: readonly ScimExchange[],
  ): Outcome {
    const changed =
      pushed.event === 'user_update_provision' && desired.resource
        ? changedAttributes(row.written, desired.resource)
        : []
    return {
      result: succeeded(row, desired, pushed, this.#session.settings, this.#now),
      moved: row.state !== pushed.state || row.remote_id !== pushed.remoteId,
      event: {
        event_type: pushed.event,
        resource: resourceOf(row, desired),
        message_chain: messageChain(exchanges),
        ...(changed.length > 0 && { changes: changed.map((field) => ({ field })) }),
      },
    }
  }

  #failed(
    row: AccountRow,
    desired: Desired,
    { action }: Step,
    failure: ScimFailure,
    exchanges: readonly ScimExchange[],
  ): Outcome {
    const lookup = action === 'create' && exchanges.every(({ method }) => method === 'GET')
    const kind = EVENT_OF[action as keyof typeof EVENT_OF]
    return {
      result: failed(row, desired, failure, this.#now),
      failure,
      event: {
        event_type: lookup && exchanges.length > 0 ? 'user_lookup_provision' : kind,
        resource: resourceOf(row, desired),
        success: false,
        error_message: failure.message,
        message_chain: messageChain(exchanges, failure),
      },
    }
  }

  /** Results and their events commit together. False: another worker has the connection now. */
  async save(lease: Lease, outcomes: readonly Outcome[]): Promise<boolean> {
    const { db, removed } = this.#context
    const { organizationId, applicationId, evaluator } = this.#session
    const moved = outcomes.filter((outcome) => outcome.moved).map(({ result }) => result.user_id)
    const saved = await db.tx(organizationId, async (tx) => {
      const results = outcomes.map(({ result }) => result)
      const reports =
        evaluator.readsManagers && moved.length > 0
          ? await reportsOf(tx, organizationId, moved)
          : []
      const ids = results.map(({ user_id }) => user_id)
      if (reports.length > 0) await lockAccounts(tx, organizationId, applicationId, ids, reports)
      const count = await saveResults(tx, organizationId, lease, results)
      if (count < results.length) return false
      const events = outcomes.flatMap(({ event }) => event ?? [])
      await recordProvisions(tx, this.#session, events)
      if (moved.length > 0 && this.#session.settings.groups.push)
        await touchAllGroups(tx, organizationId, applicationId)
      if (reports.length > 0) await touchAccountsOf(tx, organizationId, reports)
      return true
    })
    if (saved)
      for (const { result } of outcomes)
        if (result.removal_ms !== null) removed(applicationId, result.removal_ms)
    return saved
  }
}
