import type { ScimPosts } from '../baselines/scim-posts.ts'
import { type Benchmark, percent, profileFlags, type Row } from '../benchmark.ts'
import { runJson } from '../child.ts'
import { peakMegabytes } from '../memory.ts'
import { readBodies, startLab } from '../provisioning/lab.ts'
import { addGroupsOf, connect } from '../provisioning/world.ts'
import { compare, median } from '../rounds.ts'
import { type Service, startService, temporaryDataDir } from '../service.ts'

const GOAL = 0.6
/** The default of a connection. */
const CONCURRENCY = 8
const MAX_GROWTH_MB = 64
/** The binding of everyone may take this many times that of one. */
const MAX_TIMES = 2

const seconds = (since: number): number => (performance.now() - since) / 1000

/** Accounts per second, from the binding of the group until the last result is saved. */
async function push(service: Service, group: string, people: number, name: string) {
  const lab = await startLab()
  try {
    const application = await connect(service, lab, name)
    const began = performance.now()
    await application.bind('add', group)
    await application.until(({ users }) => users.provisioned === people && users.waiting === 0)
    const perSecond = people / seconds(began)
    const bodies = await readBodies(lab)
    await application.deactivate()
    return { perSecond, bodies }
  } finally {
    await lab.stop()
  }
}

async function bare(bodies: object[]): Promise<number> {
  const { url, token, stop } = await startLab()
  try {
    const input: ScimPosts = { url, token, concurrency: CONCURRENCY, bodies }
    return (await runJson<{ perSecond: number }>('bench/baselines/scim-posts.ts', input)).perSecond
  } finally {
    await stop()
  }
}

async function comparePushes(
  service: Service,
  group: string,
  people: number,
  rounds: number,
): Promise<Row> {
  let made = 0
  const { bodies } = await push(service, group, people, 'Warm-up')
  const pair = {
    baseline: () => bare(bodies),
    ours: async () => (await push(service, group, people, `Push ${++made}`)).perSecond,
  }
  const result = await compare(pair, { rounds, seconds: 0 })
  return {
    name: `${people.toLocaleString('en')} accounts created through a group`,
    unit: 'accounts/s',
    ...result,
    goal: `at least ${percent(GOAL)}`,
    met: result.ratio >= GOAL,
  }
}

/** Compares with a provider that has everything already. */
async function reconcile(service: Service, group: string, people: number): Promise<Row[]> {
  const lab = await startLab()
  try {
    const application = await connect(service, lab, 'Reconcile')
    await application.bind('add', group)
    await application.until(({ users }) => users.provisioned === people && users.waiting === 0)
    const measure = async () => {
      const memory = peakMegabytes(service.child.pid!)
      const began = performance.now()
      const requested = new Date().toISOString()
      await application.reconcile()
      const { reconciliation } = await application.until(
        (status) => (status.reconciliation?.started ?? '') >= requested,
      )
      const took = seconds(began)
      if (reconciliation!.matching !== people)
        throw new Error(`${reconciliation!.matching} of ${people} match`)
      return { took, ...memory.stop() }
    }
    // The first one grows the heap to its working size.
    await measure()
    const { took, before, peak } = await measure()
    await application.deactivate()
    const name = `comparison of ${people.toLocaleString('en')} accounts without a change`
    return [
      { ...NO_BASELINE, name, unit: 's', ours: took },
      {
        ...NO_BASELINE,
        name: 'memory that it adds to the Node process',
        unit: 'MB',
        ours: peak - before,
        goal: `at most ${MAX_GROWTH_MB} MB`,
        met: peak - before <= MAX_GROWTH_MB,
      },
    ]
  } finally {
    await lab.stop()
  }
}

const NO_BASELINE = { baseline: null, ratio: null, goal: '–', met: true, rounds: [] }

/** A dry run: the bindings are compared, and nothing is written. */
async function bindings(
  service: Service,
  [one, all]: [string, string],
  people: number,
  rounds: number,
): Promise<Row> {
  const lab = await startLab()
  try {
    const application = await connect(service, lab, 'Bindings', { dryRun: true })
    const timed = async (group: string) => {
      const began = performance.now()
      await application.bind('add', group)
      const took = seconds(began) * 1000
      for (const op of [null, 'remove'] as const) {
        if (op) await application.bind(op, group)
        await application.until(({ working }) => !working)
      }
      return took
    }
    await timed(one)
    const done: { one: number; all: number }[] = []
    for (let round = 0; round < rounds; round++)
      done.push({ one: await timed(one), all: await timed(all) })
    const ratio = median(done.map((round) => round.all / round.one))
    return {
      name: `binding of ${people.toLocaleString('en')} users, against that of one`,
      unit: 'ms',
      baseline: median(done.map((round) => round.one)),
      ours: median(done.map((round) => round.all)),
      ratio,
      goal: `at most ${percent(MAX_TIMES)}`,
      met: ratio <= MAX_TIMES,
      rounds: done,
    }
  } finally {
    await lab.stop()
  }
}

/** Accounts at a SCIM provider, against a client that only sends the same requests. */
export const provisioning: Benchmark = {
  name: 'provisioning',
  async run(settings) {
    const { people, rounds } = settings
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings), {
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
    })
    try {
      process.stdout.write(`  loading ${(people * 10).toLocaleString('en')} people …\n`)
      const sizes = [1, people, people * 5, people * 10]
      const [one, pushed, compared, all] = await addGroupsOf(service, sizes)
      return [
        await bindings(service, [one!, all!], people * 10, rounds),
        await comparePushes(service, pushed!, people, rounds),
        ...(await reconcile(service, compared!, people * 5)),
      ]
    } finally {
      await service.stop()
      remove()
    }
  },
}
