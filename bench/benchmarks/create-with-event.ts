import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import type { TwoInserts } from '../baselines/two-inserts.ts'
import { type Benchmark, percent, profileFlags } from '../benchmark.ts'
import { runJson } from '../child.ts'
import { requestsPerSecond } from '../load.ts'
import { compare } from '../rounds.ts'
import {
  createUser,
  firstOrganization,
  keyHeader,
  startService,
  temporaryDataDir,
  userOf,
} from '../service.ts'
import { latestDocument } from '../stored-event.ts'

const GOAL = 0.5
const CONNECTIONS = 16
/** The default of the service. */
const POOL = 10
/** A user and its audit event, against the same two inserts in one transaction through plain `pg`. */
export const createWithEvent: Benchmark = {
  name: 'create-with-event',
  async run(settings) {
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings))
    try {
      const organizationId = await firstOrganization(service)
      const firstId = await createUser(service, 'first')
      const { owner } = connectionsOf(dataDir)
      const plain: Omit<TwoInserts, 'seconds'> = {
        connection: owner,
        connections: CONNECTIONS,
        pool: POOL,
        organizationId,
        // Rows of another tenant in the same tables and indexes.
        otherId: organizationId.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
        userId: firstId,
        document: await latestDocument(owner, organizationId),
      }
      const baseline = async (seconds: number) => {
        const input: TwoInserts = { ...plain, seconds }
        return (await runJson<{ perSecond: number }>('bench/baselines/two-inserts.ts', input))
          .perSecond
      }
      const ours = (seconds: number) =>
        requestsPerSecond({
          url: `${service.url}/api/systemusers`,
          method: 'POST',
          headers: { ...keyHeader(service.apiKey), 'content-type': 'application/json' },
          connections: CONNECTIONS,
          seconds,
          uniqueBody: userOf('$unique'),
        })
      const result = await compare({ baseline, ours }, settings)
      return [
        {
          name: 'POST /api/systemusers with its event',
          unit: 'creates/s',
          ...result,
          goal: `at least ${percent(GOAL)}`,
          met: result.ratio >= GOAL,
        },
      ]
    } finally {
      await service.stop()
      remove()
    }
  },
}
