import { getProvider, organizationsOf } from '../organizations/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { inLanes } from '../platform/lanes.ts'
import { countAttention } from './actions.ts'
import type { Attention, ProviderOverview } from './schema.ts'

/** Organizations that are counted at the same time. */
const LANES = 4

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

/** How large the organizations of a provider are, and what needs attention: all that the caller can access, by name. */
export async function describeProvider(
  db: Db,
  caller: Caller,
  providerId: string,
): Promise<ProviderOverview> {
  const { id } = await getProvider(db, caller, providerId)
  const rows = await organizationsOf(db, id, caller.organizationIds)
  const results: ProviderOverview['results'] = []
  await inLanes(LANES, rows.entries(), async ([at, { id, name }]) => {
    const counts = await countAttention(db, { ...caller, organizationId: id })
    const { users = null, systems = null } = counts
    results[at] = { id, name, users, systems, problems: problemsIn(counts) }
  })
  return { results, totalCount: results.length }
}
