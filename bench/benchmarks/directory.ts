import pg from 'pg'
import { clientConfig } from '../../server/platform/db/index.ts'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { type Benchmark, percent, profileFlags, type Row } from '../benchmark.ts'
import { CASES, type Case } from '../directory/cases.ts'
import { idOf, makePeople, makeWorld, PEOPLE } from '../directory/world.ts'
import { residentMegabytes } from '../memory.ts'
import { compare, repeated } from '../rounds.ts'
import {
  firstOrganization,
  keyHeader,
  type Service,
  startService,
  temporaryDataDir,
} from '../service.ts'

const MAX_MS = 50
/** For more than 10,000 ends. */
const MAX_LARGE_MS = 300

async function ask({ url, apiKey }: Service, { path, body }: Case): Promise<void> {
  const response = await fetch(`${url}/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...keyHeader(apiKey), 'content-type': 'application/json' },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${text}`)
}

const LEAVER = idOf('user', PEOPLE)

/** Takes one person out of the group, or puts them in. */
function changing({ url, apiKey }: Service, group: string): () => Promise<void> {
  let op = 'remove'
  const change = () =>
    fetch(`${url}/api/v2/usergroups/${group}/members`, {
      method: 'POST',
      body: JSON.stringify({ op, type: 'user', id: LEAVER }),
      headers: { ...keyHeader(apiKey), 'content-type': 'application/json' },
    })
  return async () => {
    let response = await change()
    if (response.status === 404) {
      // Not a member to begin with.
      op = 'add'
      response = await change()
    }
    if (!response.ok) throw new Error(`${group}: ${await response.text()}`)
    op = op === 'remove' ? 'add' : 'remove'
  }
}

const millis = (perSecond: number): number => 1000 / perSecond

/**
 * Lists, searches and traversals in an organization of 100,000 people, against the bare SQL. Before each traversal a group
 * on its way is changed, which is not timed. `--people N`: lists and searches alone, with so many users.
 */
export const directory: Benchmark = {
  name: 'directory',
  async run(settings) {
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings))
    const client = new pg.Client(clientConfig(connectionsOf(dataDir).owner))
    const rows: Row[] = []
    try {
      await client.connect()
      const organizationId = await firstOrganization(service)
      const { users } = settings
      process.stdout.write(`  loading ${(users ?? PEOPLE).toLocaleString('en')} people …\n`)
      if (users === null) await makeWorld(client, organizationId)
      else await makePeople(client, organizationId, users)
      for (const one of users === null ? CASES : CASES.filter(({ group }) => group === undefined)) {
        const limit = one.large ? MAX_LARGE_MS : MAX_MS
        const pair = {
          baseline: repeated(() => client.query(one.sql, [organizationId])),
          ours: repeated(
            () => ask(service, one),
            1,
            one.group === undefined ? undefined : changing(service, one.group),
          ),
        }
        const { baseline, ours, rounds } = await compare(pair, settings)
        rows.push({
          name: one.name,
          unit: 'ms',
          baseline: millis(baseline),
          ours: millis(ours),
          ratio: millis(ours) / millis(baseline),
          goal: `at most ${limit} ms`,
          met: millis(ours) <= limit,
          rounds,
        })
        process.stdout.write(
          `  ${one.name}: ${millis(ours).toFixed(1)} ms, ${percent(millis(ours) / millis(baseline))}\n`,
        )
      }
      rows.push({
        name: 'memory of the Node process afterwards',
        unit: 'MB',
        baseline: null,
        ours: residentMegabytes(service.child.pid!),
        ratio: null,
        goal: '–',
        met: true,
        rounds: [],
      })
      return rows
    } finally {
      await client.end()
      await service.stop()
      remove()
    }
  },
}
