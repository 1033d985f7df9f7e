import type { ReadPages } from '../baselines/read-pages.ts'
import { type Benchmark, multiple, percent, profileFlags, type Settings } from '../benchmark.ts'
import { runJson } from '../child.ts'
import { connectPeople, PAGE_SIZE, startPeople } from '../imports/world.ts'
import { liveMegabytes, peakMegabytes, TRACE_GC } from '../memory.ts'
import { median } from '../rounds.ts'
import { startService, temporaryDataDir } from '../service.ts'

const GOAL = 0.25
const GOAL_AGAIN = 3
const MAX_GROWTH_MB = 64
const WARM_UP = 500

/** Seconds for the plan of so many people, their import, and the same again; megabytes that plan and import take. */
async function importAll(settings: Settings, people: number, before = async (_: string) => {}) {
  const { dataDir, remove } = temporaryDataDir()
  const service = await startService(dataDir, [TRACE_GC, ...profileFlags(settings)], {
    GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
  })
  const lab = await startPeople(people)
  try {
    await before(lab.url)
    const source = await connectPeople(service, lab.url)
    // Compiles the code and grows the heap to its working size.
    await source.run({ queryString: `limit=${WARM_UP}`, dryRun: true })
    const resident = peakMegabytes(service.child.pid!)
    const heap = liveMegabytes(service.child)
    const plan = await source.run({ dryRun: true })
    const first = await source.run()
    const { peak } = resident.stop()
    const live = heap.stop()
    return { plan, first, again: await source.run(), peak, live }
  } finally {
    await lab.stop()
    await service.stop()
    remove()
  }
}

/** People from a source, against their plan, which reads and matches them too, and a client that only reads them. */
export const imports: Benchmark = {
  name: 'imports',
  async run(settings) {
    const people = settings.people * 5
    const reads: number[] = []
    const readBare = async (url: string) => {
      const input: ReadPages = { url, pageSize: PAGE_SIZE }
      const { perSecond } = await runJson<{ perSecond: number }>(
        'bench/baselines/read-pages.ts',
        input,
      )
      reads.push(perSecond)
    }
    const fifth = await importAll(settings, settings.people)
    const runs: Awaited<ReturnType<typeof importAll>>[] = []
    for (let round = 0; round < settings.rounds; round++)
      runs.push(await importAll(settings, people, readBare))
    // Ratios are those of one run, whose parts saw the same machine.
    const medianOf = (value: (run: (typeof runs)[number]) => number) => median(runs.map(value))
    const first = medianOf((run) => run.first)
    const ofPlan = medianOf((run) => run.plan / run.first)
    const timesAgain = medianOf((run) => run.first / run.again)
    const live = medianOf((run) => run.live)
    const peak = medianOf((run) => run.peak)
    const baseline = median(reads)
    const row = { baseline: null, ratio: null, goal: '–', met: true, rounds: { reads, runs } }
    const named = people.toLocaleString('en')
    const ours = people / first
    const planned = people / medianOf((run) => run.plan)
    return [
      {
        ...row,
        name: `plan of ${named} people, none of them known`,
        unit: 'users/s',
        baseline,
        ours: planned,
        ratio: planned / baseline,
      },
      {
        ...row,
        name: `import of ${named} people, against its plan`,
        unit: 'users/s',
        baseline: planned,
        ours,
        ratio: ofPlan,
        goal: `at least ${percent(GOAL)}`,
        met: ofPlan >= GOAL,
      },
      {
        ...row,
        name: 'the same, against a bare read',
        unit: 'users/s',
        baseline,
        ours,
        ratio: ours / baseline,
      },
      {
        ...row,
        name: 'the same again, without a change',
        unit: 's',
        baseline: first,
        ours: medianOf((run) => run.again),
        ratio: timesAgain,
        multiple: true,
        goal: `at least ${multiple(GOAL_AGAIN)}`,
        met: timesAgain >= GOAL_AGAIN,
      },
      {
        ...row,
        name: 'heap left by a collection meanwhile, at most; baseline: a fifth of the people',
        unit: 'MB',
        baseline: fifth.live,
        ours: live,
        ratio: live / fifth.live,
        goal: `at most ${MAX_GROWTH_MB} MB more`,
        met: live - fifth.live <= MAX_GROWTH_MB,
      },
      {
        ...row,
        name: 'resident memory meanwhile, at most; baseline: a fifth of the people',
        unit: 'MB',
        baseline: fifth.peak,
        ours: peak,
        ratio: peak / fifth.peak,
      },
    ]
  },
}
