import { reachableIds } from '../graph/index.ts'
import { accountsAfter, accountsByUser } from './account-store.ts'
import type { ProvisioningContext } from './context.ts'
import { type Account, changedAttributes, decide } from './desired.ts'
import type { Desired } from './evaluate.ts'
import { fatesOf } from './existing.ts'
import type { ProvisioningPlan } from './schema.ts'
import type { Session } from './session.ts'
import { needsConfirmation } from './settings.ts'

const PAGE = 500
const ABSENT: Account = { state: 'pending', remote_id: null, written: null, delete_at: null }

/** Everyone who is bound, or has an account. */
async function* candidates(
  { db }: ProvisioningContext,
  { organizationId, applicationId }: Session,
): AsyncGenerator<string[]> {
  const tenant = db.tenant(organizationId)
  const application = { type: 'application', id: applicationId } as const
  const bound = await reachableIds(tenant, organizationId, application, 'user')
  for (let at = 0; at < bound.length; at += PAGE) yield bound.slice(at, at + PAGE)
  const known = new Set(bound)
  for (let after = '', full = true; full; ) {
    const rows = await accountsAfter(tenant, organizationId, applicationId, after, PAGE)
    yield rows.map(({ user_id }) => user_id).filter((id) => !known.has(id))
    after = rows.at(-1)?.user_id ?? ''
    full = rows.length === PAGE
  }
}

/** What a run would do now, without doing it. */
export async function makePlan(
  context: ProvisioningContext,
  session: Session,
  { limit, skip }: { limit: number; skip: number },
): Promise<ProvisioningPlan> {
  const { db, now = Date.now } = context
  const { organizationId, applicationId, evaluator, settings } = session
  const tenant = db.tenant(organizationId)
  const users: ProvisioningPlan['users'] = {
    create: 0,
    update: 0,
    deactivate: 0,
    delete: 0,
    unchanged: 0,
    skipped: 0,
    incomplete: 0,
  }
  const results: ProvisioningPlan['results'] = []
  /** Of the accounts on this page that would be created. */
  const wishes = new Map<string, Desired>()
  let accounts = 0
  let found = 0
  for await (const ids of candidates(context, session)) {
    if (ids.length === 0) continue
    const rows = await accountsByUser(tenant, organizationId, applicationId, ids)
    const byUser = new Map(rows.map((row) => [row.user_id, row]))
    const desired = await evaluator.desired(tenant, organizationId, applicationId, ids, now())
    for (const userId of ids) {
      const account = byUser.get(userId)
      const wish = desired.get(userId)!
      const { wanted, resource, user, problems } = wish
      if (account?.state === 'provisioned') accounts++
      const { action } = decide(wanted, account ?? ABSENT, resource, settings.deprovision, now())
      if (action === 'none') {
        users[wanted === 'skipped' ? 'skipped' : 'unchanged']++
        continue
      }
      users[action]++
      if (problems.length > 0) users.incomplete++
      if (found++ < skip || results.length >= limit) continue
      const written = account?.written ?? null
      results.push({
        userId,
        username: user?.username ?? account?.username ?? '',
        action,
        changes: resource ? changedAttributes(written, resource) : [],
        problems,
        existing: null,
      })
      if (action === 'create' && problems.length === 0) wishes.set(userId, wish)
    }
  }
  const fates = await fatesOf(session, wishes)
  for (const result of results) result.existing = fates.get(result.userId) ?? null
  const removals = users.deactivate + users.delete
  return { users, heldForConfirmation: needsConfirmation(settings, removals, accounts), results }
}
