import { setTimeout as delay } from 'node:timers/promises'
import type { Benchmark } from '../benchmark.ts'
import { residentMegabytes } from '../memory.ts'
import { median } from '../rounds.ts'
import { startService, temporaryDataDir } from '../service.ts'

const MAX_SECONDS = 5
const MAX_MEGABYTES = 256
/** Long enough for the timers of jobs and pools to have run. */
const IDLE_MS = 8000

/** Starts on an existing data directory: time until /readyz responds, idle memory. */
export const startUp: Benchmark = {
  name: 'start',
  async run({ rounds }) {
    const { dataDir, remove } = temporaryDataDir()
    const seconds: number[] = []
    const megabytes: number[] = []
    try {
      await (await startService(dataDir)).stop()
      for (let round = 0; round < rounds; round++) {
        const began = performance.now()
        const service = await startService(dataDir)
        const ready = await fetch(`${service.url}/readyz`)
        seconds.push((performance.now() - began) / 1000)
        if (!ready.ok) throw new Error(`/readyz answered ${ready.status}`)
        await delay(IDLE_MS)
        megabytes.push(residentMegabytes(service.child.pid!))
        await service.stop()
      }
    } finally {
      remove()
    }
    const row = (name: string, unit: string, values: number[], most: number) => ({
      name,
      unit,
      baseline: null,
      ours: median(values),
      ratio: null,
      goal: `at most ${most} ${unit}`,
      met: median(values) <= most,
      rounds: values,
    })
    return [
      row('ready after a second start', 's', seconds, MAX_SECONDS),
      row('idle memory of the Node process', 'MB', megabytes, MAX_MEGABYTES),
    ]
  },
}
