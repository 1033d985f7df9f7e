import { type Benchmark, percent, profileFlags } from '../benchmark.ts'
import { start } from '../child.ts'
import { requestsPerSecond } from '../load.ts'
import { compare } from '../rounds.ts'
import { createUser, keyHeader, startService, temporaryDataDir } from '../service.ts'

const GOAL = 0.35
const CONNECTIONS = 16

/** Authenticated read of one record, against a bare Fastify route that answers a constant of the same size. */
export const readUser: Benchmark = {
  name: 'read-user',
  async run(settings) {
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings))
    const headers = keyHeader(service.apiKey)
    const url = `${service.url}/api/systemusers/${await createUser(service, 'reader')}`
    const { length } = await (await fetch(url, { headers })).text()
    const bare = await start(
      ['bench/baselines/constant-server.ts', String(length)],
      /listening on \S+\n/,
    )
    const bareUrl = /listening on (\S+)/.exec(bare.line)![1]!
    const side = (address: string) => (seconds: number) =>
      // The key travels to both, so that both parse the same header bytes.
      requestsPerSecond({ url: address, method: 'GET', headers, connections: CONNECTIONS, seconds })
    try {
      const result = await compare({ baseline: side(bareUrl), ours: side(url) }, settings)
      return [
        {
          name: `authenticated GET /api/systemusers/{id}, ${length} bytes`,
          unit: 'requests/s',
          ...result,
          goal: `at least ${percent(GOAL)}`,
          met: result.ratio >= GOAL,
        },
      ]
    } finally {
      await bare.stop()
      await service.stop()
      remove()
    }
  },
}
