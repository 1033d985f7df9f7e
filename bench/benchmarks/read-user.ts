import { type Benchmark, percent, profileFlags, type Row, type Settings } from '../benchmark.ts'
import { start } from '../child.ts'
import { addWorld, idOf, PEOPLE } from '../directory/world.ts'
import { FEW, MANY, requestsPerSecond } from '../load.ts'
import { compare } from '../rounds.ts'
import { keyHeader, type Service, startService, temporaryDataDir } from '../service.ts'

const GOAL = 0.2
const WARM_UPS = 8

const path = (id: string) => `/api/systemusers/${id}`

async function measure(
  service: Service,
  bareUrl: string,
  paths: string[],
  connections: number,
  settings: Settings,
) {
  // Both get the same URL and key, so that both parse the same bytes and building requests costs the same.
  const common = { method: 'GET' as const, headers: keyHeader(service.apiKey), paths, connections }
  return compare(
    {
      baseline: (seconds) => requestsPerSecond({ ...common, url: bareUrl, seconds }),
      ours: (seconds) => requestsPerSecond({ ...common, url: service.url, seconds }),
    },
    settings,
    WARM_UPS,
  )
}

/** Authenticated reads, another user each time, against a bare Fastify route that answers a constant of the same size. */
export const readUser: Benchmark = {
  name: 'read-user',
  async run(settings) {
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings))
    await addWorld(service)
    const paths = Array.from({ length: PEOPLE }, (_, at) => path(idOf('user', at + 1)))
    const { length } = await (
      await fetch(`${service.url}${paths[0]}`, { headers: keyHeader(service.apiKey) })
    ).text()
    const bare = await start(
      ['bench/baselines/constant-server.ts', String(length)],
      /listening on \S+\n/,
    )
    const bareUrl = /listening on (\S+)/.exec(bare.line)![1]!
    const name = `GET /api/systemusers/{id}, any of ${PEOPLE.toLocaleString('en')}`
    const unit = 'requests/s'
    try {
      const busy = await measure(service, bareUrl, paths, MANY, settings)
      const quiet = await measure(service, bareUrl, paths, FEW, settings)
      return [
        {
          name: `${name}, ${MANY} at a time`,
          unit,
          ...busy,
          goal: `at least ${percent(GOAL)}`,
          met: busy.ratio >= GOAL,
        },
        { name: `the same, ${FEW} at a time`, unit, goal: '–', met: true, ...quiet },
      ] satisfies Row[]
    } finally {
      await bare.stop()
      await service.stop()
      remove()
    }
  },
}
