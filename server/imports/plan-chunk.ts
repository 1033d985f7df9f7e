import { findReferences, matchAll } from './candidates.ts'
import type { ImportContext } from './context.ts'
import { type Decision, decide, type Rules } from './decide.ts'
import { type Incoming, isReadable, type Unreadable } from './incoming.ts'
import { type JobLike, keyOf, type Planned, type RowInput } from './job.ts'
import { EMPTY, parked } from './plan-row.ts'
import type { SourceRecord } from './sources/source.ts'

const plannedOf = ({ after: _, ...planned }: Decision): Planned => planned

/** The plan of one chunk of records. */
export async function planChunk(
  { db }: Pick<ImportContext, 'db'>,
  batch: JobLike,
  read: (record: Record<string, unknown>) => Incoming | Unreadable,
  rules: Rules,
  records: readonly SourceRecord[],
): Promise<RowInput[]> {
  const key = keyOf(batch)
  const tenant = db.tenant(key.organizationId)
  const inputs: (RowInput | Incoming)[] = records.map((one) => {
    if ('problem' in one)
      return {
        externalId: null,
        ...EMPTY,
        plan: parked('unreadable', one.problem),
        unreadable: true,
      }
    const found = read(one.record)
    if (isReadable(found)) return found
    const { reason, message, externalId, write } = found
    return { ...EMPTY, externalId, write, plan: parked(reason, message), unreadable: true }
  })
  const incoming = inputs.filter((one): one is Incoming => !('plan' in one))
  const matches = await matchAll(tenant, key, incoming)
  const references = await findReferences(tenant, key, incoming, matches)
  const decided = new Map(
    incoming.map((one, at) => [one, decide(one, matches[at]!, references[at]!, rules)]),
  )
  return inputs.map((one) => ('plan' in one ? one : { ...one, plan: plannedOf(decided.get(one)!) }))
}
