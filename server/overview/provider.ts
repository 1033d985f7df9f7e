import {
  deletedOrganizationsOf,
  getProvider,
  KEPT_DAYS,
  organizationsOf,
} from '../organizations/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { inLanes } from '../platform/lanes.ts'
import { countAttention } from './actions.ts'
import type { Attention, ProviderOverview } from './schema.ts'

/** Organizations that are counted at the same time. */
const LANES = 4
const DAY_MS = 86_400_000

const PROBLEMS = [
  'lockedUsers',
  'unseenSystems',
  'expiringCertificates',
  'failingProvisioning',
  'parkedImports',
  'failedJobs',
  'failingForwarders',
] as const satisfies (keyof Attention)[]

function problemsIn(counts: Attention): number | null {
  const known = PROBLEMS.flatMap((name) => counts[name] ?? [])
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
}

/** Only those who can restore them see them. */
async function deletedOf(
  db: Db,
  { wholeProvider }: Caller,
  providerId: string,
): Promise<ProviderOverview['deleted']> {
  if (wholeProvider !== true) return []
  const rows = await deletedOrganizationsOf(db, providerId)
  return rows.map(({ id, name, deleted_at: deleted }) => ({
    id,
    name,
    deleted,
    erased: new Date(Date.parse(deleted) + KEPT_DAYS * DAY_MS).toISOString(),
  }))
}

/** How large the organizations of a provider are, and what needs attention: all that the caller can access, by name. */
export async function describeProvider(
  db: Db,
  caller: Caller,
  providerId: string,
): Promise<ProviderOverview> {
  const { id } = await getProvider(db, caller, providerId)
  const rows = await organizationsOf(db, id, caller.organizationIds)
  const results: ProviderOverview['results'] = []
  await inLanes(LANES, rows.entries(), async ([at, row]) => {
    const counts = await countAttention(db, { ...caller, organizationId: row.id })
    const { users = null, systems = null } = counts
    const { id, name, max_system_users: maxSystemUsers } = row
    results[at] = { id, name, maxSystemUsers, users, systems, problems: problemsIn(counts) }
  })
  return { results, totalCount: results.length, deleted: await deletedOf(db, caller, id) }
}
