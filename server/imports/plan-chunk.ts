import { Pace } from '../platform/pace.ts'
import { findReferences, matchAll } from './candidates.ts'
import type { ImportContext } from './context.ts'
import { type Decision, decide, type Rules } from './decide.ts'
import { type Incoming, isReadable, type Unreadable } from './incoming.ts'
import { type JobLike, keyOf, type Planned, type RowInput } from './job.ts'
import { EMPTY, parked } from './plan-row.ts'
import type { SourceRecord } from './sources/source.ts'

type Read = (record: Record<string, unknown>) => Incoming | Unreadable

const plannedOf = ({ after: _, ...planned }: Decision): Planned => planned

function inputOf(one: SourceRecord, read: Read): RowInput | Incoming {
  if ('problem' in one)
    return { externalId: null, ...EMPTY, plan: parked('unreadable', one.problem), unreadable: true }
  const found = read(one.record)
  if (isReadable(found)) return found
  const { reason, message, externalId, write } = found
  return { ...EMPTY, externalId, write, plan: parked(reason, message), unreadable: true }
}

/** The plan of one chunk of records. */
export async function planChunk(
  { db }: Pick<ImportContext, 'db'>,
  batch: JobLike,
  read: Read,
  rules: Rules,
  records: readonly SourceRecord[],
  pace = new Pace(),
): Promise<RowInput[]> {
  const key = keyOf(batch)
  const tenant = db.tenant(key.organizationId)
  const inputs: (RowInput | Incoming)[] = []
  for (const one of records) {
    inputs.push(inputOf(one, read))
    await pace.breathe()
  }
  const incoming = inputs.filter((one): one is Incoming => !('plan' in one))
  const matches = await matchAll(tenant, key, incoming)
  const references = await findReferences(tenant, key, incoming, matches)
  const decided = new Map<Incoming, Decision>()
  for (const [at, one] of incoming.entries()) {
    decided.set(one, decide(one, matches[at]!, references[at]!, rules))
    await pace.breathe()
  }
  return inputs.map((one) => ('plan' in one ? one : { ...one, plan: plannedOf(decided.get(one)!) }))
}
