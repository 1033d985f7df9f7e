import { applicationNames, isInactive } from '../applications/index.ts'
import type { Caller } from '../platform/caller.ts'
import { notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { findUser } from '../users/index.ts'
import { accountsOfUser, countAccounts, listAccounts, removalTimes } from './account-list-store.ts'
import { type AccountRow, findAccount } from './account-store.ts'
import { accountNotFound, getConnection } from './actions.ts'
import type { ProvisioningContext } from './context.ts'
import { countGroups, type GroupAccountRow, listGroupAccounts } from './group-store.ts'
import { readRun } from './run-store.ts'
import type { ProvisionedGroup, ProvisionedUser, ProvisioningStatus } from './schema.ts'

const describeWriting = (row: AccountRow | GroupAccountRow) => ({
  since: row.since,
  remoteId: row.remote_id,
  waiting: row.next_at !== null,
  parked: row.parked,
  attempts: row.attempts,
  errorKind: row.error_kind,
  error: row.error,
  nextAttempt: row.error === null ? null : row.next_at,
})

const describe = (row: AccountRow) => ({
  state: row.state,
  ...describeWriting(row),
  waiting: row.next_at !== null && row.delete_at === null,
  removalSince: row.removal_since,
  deleteAt: row.delete_at,
})

export async function getStatus(
  context: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
): Promise<ProvisioningStatus> {
  const { db, now = Date.now } = context
  const row = await getConnection(context, organizationId, applicationId)
  const tenant = db.tenant(organizationId)
  const run = await readRun(db, applicationId)
  const counts = await countAccounts(tenant, organizationId, applicationId)
  const groups = await countGroups(tenant, organizationId, applicationId)
  const { settings } = row
  const asleep = await isInactive(tenant, organizationId, applicationId)
  return {
    status: row.status,
    statusReason:
      row.status_reason ?? (asleep ? 'The application is inactive, so nothing is written' : null),
    reason: row.status_code,
    dryRun: settings.dryRun,
    working: run?.lease_until != null && Date.parse(run.lease_until) > now(),
    requested: run?.sweep_since != null,
    pausedUntil: run?.paused_until ?? null,
    users: {
      bound: counts.bound,
      provisioned: counts.provisioned,
      staged: counts.staged,
      none: counts.none,
      deactivated: counts.deactivated,
      deleted: counts.deleted,
      waiting: counts.waiting,
      failing: counts.failing,
      parked: counts.parked,
    },
    groups,
    heldRemovals:
      row.held_removals === null ? null : { users: row.held_removals, since: row.held_at! },
    deprovisioning: {
      targetSeconds: settings.deprovisionTargetSeconds,
      waiting: counts.removals_waiting,
      oldestSeconds:
        counts.oldest_removal === null
          ? null
          : Math.max(0, (now() - Date.parse(counts.oldest_removal)) / 1000),
      milliseconds: await removalTimes(tenant, organizationId, applicationId),
    },
    reconciliation: row.reconciliation,
    quirks: row.quirks,
  }
}

export async function listUsers(
  context: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
  filter: Parameters<typeof listAccounts>[3],
  limit: number,
  skip: number,
): Promise<{ results: ProvisionedUser[]; total: number }> {
  await getConnection(context, organizationId, applicationId)
  const tenant = context.db.tenant(organizationId)
  const found = await listAccounts(tenant, organizationId, applicationId, filter, limit, skip)
  return {
    total: found.total,
    results: found.rows.map((row) => ({
      userId: row.user_id,
      username: row.username,
      ...describe(row),
    })),
  }
}

export async function getUser(
  context: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
  userId: string,
) {
  await getConnection(context, organizationId, applicationId)
  const tenant = context.db.tenant(organizationId)
  const row = isId(userId)
    ? await findAccount(tenant, organizationId, applicationId, userId)
    : undefined
  if (!row) throw accountNotFound()
  return { userId, username: row.username, ...describe(row), written: row.written }
}

export async function listGroups(
  context: ProvisioningContext,
  { organizationId }: Caller,
  applicationId: string,
  filter: Parameters<typeof listGroupAccounts>[3],
  limit: number,
  skip: number,
): Promise<{ results: ProvisionedGroup[]; total: number }> {
  await getConnection(context, organizationId, applicationId)
  const tenant = context.db.tenant(organizationId)
  const found = await listGroupAccounts(tenant, organizationId, applicationId, filter, limit, skip)
  return {
    total: found.total,
    results: found.rows.map((row) => ({
      groupId: row.group_id,
      name: row.name,
      state: row.state,
      ...describeWriting(row),
    })),
  }
}

/** "Is this person out everywhere?": every application that has, or had, an account of the user. */
export async function userEverywhere(
  { db }: ProvisioningContext,
  { organizationId }: Caller,
  userId: string,
) {
  const tenant = db.tenant(organizationId)
  const rows = isId(userId) ? await accountsOfUser(tenant, organizationId, userId) : []
  // A deleted user may still have accounts, and then is answered for.
  if (rows.length === 0 && !(isId(userId) && (await findUser(tenant, organizationId, userId))))
    throw notFound('user_not_found', 'Not Found: there is no such user')
  const ids = rows.map(({ application_id }) => application_id)
  const names = await applicationNames(tenant, organizationId, ids)
  return rows.map((row) => ({
    applicationId: row.application_id,
    application: names.get(row.application_id) ?? '',
    active: row.active,
    ...describe(row),
  }))
}
