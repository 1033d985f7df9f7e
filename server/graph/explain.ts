import { findEvents } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import { chainsBetween } from './chains.ts'
import { nodeNotFound } from './change.ts'
import type { AccountStatusOf, GraphContext } from './context.ts'
import { grantedPaths, knownNodes } from './explain-store.ts'
import type { NodeRef } from './pairs.ts'
import type { AccessExplanation } from './schema.ts'

interface AccessQuestion {
  user: string
  application?: string
  system?: string
  at?: string
}

function targetOf({ application, system }: AccessQuestion): NodeRef {
  if ((application === undefined) === (system === undefined))
    throw invalid('bad_target', 'application, system: exactly one of them is required')
  return application !== undefined
    ? { type: 'application', id: application }
    : { type: 'system', id: system! }
}

function momentOf({ at }: AccessQuestion, now: Date): Date | null {
  if (at === undefined) return null
  const moment = new Date(at)
  // PostgreSQL accepts no year 0 or before in this format.
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1)
    throw invalid('bad_at', 'at: must be an RFC 3339 timestamp')
  if (moment > now) throw invalid('at_in_future', 'at: must not be in the future')
  return moment
}

/** Only users who are ACTIVATED and not locked have access. */
function reasonAgainst(
  paths: number,
  status: Awaited<ReturnType<AccountStatusOf>>,
  inactive: boolean,
): AccessExplanation['reason'] {
  if (paths === 0) return 'no_path'
  if (status?.state === 'STAGED') return 'user_staged'
  if (status?.state === 'SUSPENDED') return 'user_suspended'
  if (status?.locked) return 'user_locked'
  return inactive ? 'application_inactive' : null
}

/** Whether and why a user has access: every path, each edge with the event that granted it. */
export async function explainAccess(
  { db, names, accountStatus, isInactive }: GraphContext,
  { organizationId }: Caller,
  question: AccessQuestion,
  now: Date,
): Promise<AccessExplanation> {
  const target = targetOf(question)
  const user: NodeRef = { type: 'user', id: question.user }
  const moment = momentOf(question, now)
  const tenant = db.tenant(organizationId)
  const known = await knownNodes(tenant, organizationId, [user, target])
  for (const node of [user, target])
    if (!known.some(({ type }) => type === node.type)) throw nodeNotFound(node.type)

  const chains = chainsBetween('user', target.type)
  const at = moment?.toISOString() ?? null
  const found = await grantedPaths(tenant, organizationId, user, target, chains, at)
  const edges = found.flat()
  const nodes = [user, target, ...edges.flatMap(({ near, far }) => [near, far])]
  const [status, inactive, called, events] = await Promise.all([
    accountStatus(organizationId, user.id, moment),
    moment === null &&
      target.type === 'application' &&
      isInactive(tenant, organizationId, target.id),
    names(tenant, organizationId, nodes),
    findEvents(
      tenant,
      organizationId,
      edges.flatMap(({ event }) => event ?? []),
    ),
  ])
  const named = ({ type, id }: NodeRef) => {
    const name = called.get(id)
    return { type, id, ...(name !== undefined && { name }) }
  }
  const reason = reasonAgainst(found.length, status, inactive)
  return {
    user: named(user),
    target: named(target),
    at: (moment ?? now).toISOString(),
    ...(status && { userState: status.state }),
    allowed: reason === null,
    reason,
    paths: found.map((path) =>
      path.map(({ near, far, attributes, since, until, event }) => ({
        from: named(near),
        to: named(far),
        attributes,
        since,
        until,
        grantedBy: event === null ? null : { id: event, event: events.get(event) ?? null },
      })),
    ),
  }
}
