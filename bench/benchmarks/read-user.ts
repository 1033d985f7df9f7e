import { type Benchmark, percent, profileFlags, type Row, type Settings } from '../benchmark.ts'
import { start } from '../child.ts'
import { addWorld, idOf, PEOPLE } from '../directory/world.ts'
import { FEW, MANY, requestsPerSecond } from '../load.ts'
import { compare } from '../rounds.ts'
import { createUser, keyHeader, type Service, startService, temporaryDataDir } from '../service.ts'

const GOAL = 0.35
const WARM_UPS = 8
/** How many different ones are read, each as often as the others. */
const OTHERS = 20_000

const path = (id: string) => `/api/systemusers/${id}`

async function measure(
  service: Service,
  bareUrl: string,
  paths: string[],
  connections: number,
  settings: Settings,
) {
  // Address and key travel to both, so that both parse the same bytes, and to make up the requests takes as long for both.
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

/** Authenticated read of one record, against a bare Fastify route that answers a constant of the same size. */
export const readUser: Benchmark = {
  name: 'read-user',
  async run(settings) {
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings))
    const one = path(await createUser(service, 'reader'))
    const { length } = await (
      await fetch(`${service.url}${one}`, { headers: keyHeader(service.apiKey) })
    ).text()
    const bare = await start(
      ['bench/baselines/constant-server.ts', String(length)],
      /listening on \S+\n/,
    )
    const bareUrl = /listening on (\S+)/.exec(bare.line)![1]!
    const name = `authenticated GET /api/systemusers/{id}, ${length} bytes`
    const unit = 'requests/s'
    try {
      const busy = await measure(service, bareUrl, [one], MANY, settings)
      const quiet = await measure(service, bareUrl, [one], FEW, settings)
      await addWorld(service)
      const others = Array.from({ length: OTHERS }, (_, at) => path(idOf('user', at + 1)))
      const varied = await measure(service, bareUrl, others, MANY, settings)
      const untold = { unit, goal: '–', met: true }
      return [
        {
          name: `${name}, ${MANY} at a time`,
          unit,
          ...busy,
          goal: `at least ${percent(GOAL)}`,
          met: busy.ratio >= GOAL,
        },
        { name: `the same, ${FEW} at a time`, ...untold, ...quiet },
        {
          name: `any of ${OTHERS.toLocaleString('en')} among ${PEOPLE.toLocaleString('en')} people, ${MANY} at a time`,
          ...untold,
          ...varied,
        },
      ] satisfies Row[]
    } finally {
      await bare.stop()
      await service.stop()
      remove()
    }
  },
}
