import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { isId } from '../platform/ids.ts'
import { type Remote, ScimClient, ScimFailure } from '../scim/index.ts'
import { type AccountRow, accountsAfter, accountsByRemote } from './account-store.ts'
import { saveReconciliation } from './connection-store.ts'
import type { ProvisioningContext } from './context.ts'
import { fold } from './directory.ts'
import { driftOf } from './drift.ts'
import { recordProvision } from './events.ts'
import {
  linkAccounts,
  parkedAsExisting,
  releaseAccounts,
  repairAccounts,
  unlinkedAccounts,
} from './reconcile-store.ts'
import { type Lease, type RunRow, scheduleReconcile } from './run-store.ts'
import type { ReconcileMode } from './schema.ts'
import type { Session } from './session.ts'

const PAGE = 500
/** Differences listed in the report; all are counted. */
const MAX_LISTED = 100
const HOUR_MS = 3_600_000

interface Finding {
  userName: string
  remoteId: string | null
  userId: string | null
  attributes?: string[]
}

/** A comparison of the provider with what should be there. */
class Reconciliation {
  readonly #context: ProvisioningContext
  readonly #session: Session
  readonly #mode: ReconcileMode
  #byName: Map<string, AccountRow> | undefined
  /** Ids only, so that memory stays small whatever the accounts hold. */
  readonly #seen = new Set<string>()
  readonly #listed = {
    missing: [] as Finding[],
    changed: [] as Finding[],
    unknown: [] as Finding[],
  }
  readonly #counts = { read: 0, matching: 0, missing: 0, changed: 0, unknown: 0, adopted: 0 }

  constructor(context: ProvisioningContext, session: Session, mode: ReconcileMode) {
    this.#context = context
    this.#session = session
    // A dry run only looks.
    this.#mode = session.settings.dryRun ? 'report' : mode
  }

  get #now(): number {
    return (this.#context.now ?? Date.now)()
  }

  get #repairs(): boolean {
    return this.#mode !== 'report'
  }

  async run(): Promise<object> {
    const started = new Date(this.#now).toISOString()
    let page: Remote[] = []
    for await (const remote of new ScimClient(this.#session.provider).list('User')) {
      page.push(remote)
      if (page.length < PAGE) continue
      await this.#compare(page)
      page = []
      await eventLoopTurn()
    }
    if (page.length > 0) await this.#compare(page)
    await this.#findMissing()
    const finished = new Date(this.#now).toISOString()
    return { mode: this.#mode, started, finished, ...this.#counts, differences: this.#listed }
  }

  #note(kind: 'missing' | 'changed' | 'unknown', finding: Finding): void {
    this.#counts[kind]++
    if (this.#listed[kind].length < MAX_LISTED) this.#listed[kind].push(finding)
  }

  async #compare(remotes: Remote[]): Promise<void> {
    const { organizationId, applicationId, evaluator } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    const ids = remotes.map(({ id }) => id)
    for (const id of ids) this.#seen.add(id)
    this.#counts.read += remotes.length
    const rows = await accountsByRemote(tenant, organizationId, applicationId, ids)
    const byRemote = new Map(rows.map((row) => [row.remote_id, row]))
    const desired = await evaluator.desired(
      tenant,
      organizationId,
      applicationId,
      rows.map(({ user_id }) => user_id),
      this.#now,
    )
    const left: Remote[] = []
    const changed: string[] = []
    const revived: string[] = []
    for (const remote of remotes) {
      const row = byRemote.get(remote.id)
      if (!row) continue
      const { wanted, resource, user } = desired.get(row.user_id)!
      if (!user) left.push(remote)
      const finding = {
        userName: remote.userName ?? row.username,
        remoteId: remote.id,
        userId: row.user_id,
      }
      if (wanted === 'present' && resource) {
        const attributes = driftOf(remote, resource)
        if (attributes.length === 0) this.#counts.matching++
        else {
          this.#note('changed', { ...finding, attributes })
          changed.push(row.user_id)
        }
      } else if (row.state === 'deactivated' && remote.active === true) {
        this.#note('changed', { ...finding, attributes: ['active'] })
        revived.push(row.user_id)
      } else this.#counts.matching++
    }
    if (this.#repairs && changed.length + revived.length > 0)
      await repairAccounts(tenant, organizationId, applicationId, { missing: [], changed, revived })
    if (this.#mode === 'adopt' && left.length > 0) await this.#inherit(left)
    const strangers = remotes.filter(({ id }) => !byRemote.has(id))
    if (strangers.length > 0) await this.#meet(strangers)
  }

  /** Accounts of deleted users, for those who have their names now and are parked for it. */
  async #inherit(left: Remote[]): Promise<void> {
    const { organizationId, applicationId } = this.#session
    const heirs = await this.#parked()
    const links = left.flatMap(({ id, userName = '' }) => {
      const heir = heirs.get(fold(userName))
      return heir ? [{ user_id: heir.user_id, remote_id: id }] : []
    })
    if (links.length === 0) return
    const ids = links.map(({ remote_id }) => remote_id)
    await this.#context.db.tx(organizationId, async (tx) => {
      await releaseAccounts(tx, organizationId, applicationId, ids)
      await linkAccounts(tx, organizationId, applicationId, links)
    })
    this.#counts.adopted += links.length
  }

  /** Those who are parked because the provider has their name already, by the name as it is sent. */
  async #parked(): Promise<Map<string, AccountRow>> {
    if (this.#byName) return this.#byName
    const { organizationId, applicationId, evaluator } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    const rows = await parkedAsExisting(tenant, organizationId, applicationId)
    const ids = rows.map(({ user_id }) => user_id)
    const desired = await evaluator.desired(tenant, organizationId, applicationId, ids, this.#now)
    this.#byName = new Map(
      rows.map((row) => [fold(desired.get(row.user_id)!.resource?.userName ?? ''), row]),
    )
    return this.#byName
  }

  /** Accounts that we did not write: of people who are bound, or of nobody we know. */
  async #meet(strangers: Remote[]): Promise<void> {
    const { organizationId, applicationId } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    const userIds = strangers.flatMap(({ externalId = '' }) =>
      isId(externalId) ? [externalId] : [],
    )
    const names = strangers.flatMap(({ userName }) => userName ?? [])
    const rows = await unlinkedAccounts(tenant, organizationId, applicationId, userIds, names)
    const byUser = new Map(rows.map((row) => [row.user_id, row]))
    const byName = new Map(rows.map((row) => [row.username.toLowerCase(), row]))
    const parked = this.#mode === 'adopt' ? await this.#parked() : undefined
    const links: { user_id: string; remote_id: string }[] = []
    for (const { id, externalId, userName = '' } of strangers) {
      const row =
        byUser.get(externalId ?? '') ??
        (externalId
          ? undefined
          : (parked?.get(fold(userName)) ?? byName.get(userName.toLowerCase())))
      if (this.#mode === 'adopt' && row?.bound) {
        links.push({ user_id: row.user_id, remote_id: id })
        this.#counts.adopted++
      } else this.#note('unknown', { userName, remoteId: id, userId: row?.user_id ?? null })
    }
    if (links.length > 0) await linkAccounts(tenant, organizationId, applicationId, links)
  }

  async #findMissing(): Promise<void> {
    const { organizationId, applicationId } = this.#session
    const tenant = this.#context.db.tenant(organizationId)
    for (let after = '', full = true; full; ) {
      const rows = await accountsAfter(tenant, organizationId, applicationId, after, PAGE)
      const lost = rows.filter(
        ({ remote_id, state }) =>
          remote_id !== null &&
          !this.#seen.has(remote_id) &&
          (state === 'provisioned' || state === 'deactivated'),
      )
      for (const { username, remote_id, user_id, state } of lost)
        if (state === 'provisioned')
          this.#note('missing', { userName: username, remoteId: remote_id, userId: user_id })
      if (this.#repairs && lost.length > 0)
        await repairAccounts(tenant, organizationId, applicationId, {
          missing: lost.map(({ user_id }) => user_id),
          changed: [],
          revived: [],
        })
      after = rows.at(-1)?.user_id ?? ''
      full = rows.length === PAGE
    }
  }

  get summary(): string {
    const { read, missing, changed, unknown, adopted } = this.#counts
    return `${read} accounts read: ${missing} missing, ${changed} changed, ${unknown} unknown, ${adopted} adopted`
  }
}

/** Compares with the provider if that is due; repairs are then due accounts. False if it is not. */
export async function reconcileDue(
  context: ProvisioningContext,
  session: Session,
  { reconcile_at, reconcile_mode }: RunRow,
  { applicationId }: Lease,
): Promise<boolean> {
  const { db, now = Date.now } = context
  const { organizationId, settings, applicationName } = session
  if (reconcile_at === null || Date.parse(reconcile_at) > now()) return false
  const reconciliation = new Reconciliation(
    context,
    session,
    reconcile_mode ?? settings.reconcile.mode,
  )
  let report: object
  let error: string | null = null
  try {
    report = await reconciliation.run()
  } catch (failure) {
    if (!(failure instanceof ScimFailure)) throw failure
    error = failure.message
    report = {
      mode: reconcile_mode ?? settings.reconcile.mode,
      failed: new Date(now()).toISOString(),
      error,
    }
  }
  const { everyHours } = settings.reconcile
  const next = everyHours === null ? null : now() + everyHours * HOUR_MS
  await db.tx(organizationId, async (tx) => {
    await saveReconciliation(tx, organizationId, applicationId, report)
    await scheduleReconcile(tx, applicationId, next)
    await recordProvision(tx, session, {
      event_type: 'integration_reconcile',
      resource: { type: 'application', id: applicationId, name: applicationName },
      success: error === null,
      ...(error !== null && { error_message: error }),
      ...(error === null && {
        message_chain: { message_details: reconciliation.summary },
      }),
    })
  })
  return true
}
