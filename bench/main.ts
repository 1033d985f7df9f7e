import { parseArgs } from 'node:util'
import type { Benchmark, Row } from './benchmark.ts'
import { createWithEvent } from './benchmarks/create-with-event.ts'
import { directory } from './benchmarks/directory.ts'
import { imports } from './benchmarks/imports.ts'
import { insights } from './benchmarks/insights.ts'
import { provisioning } from './benchmarks/provisioning.ts'
import { readUser } from './benchmarks/read-user.ts'
import { saml } from './benchmarks/saml.ts'
import { startUp } from './benchmarks/start.ts'
import { web } from './benchmarks/web.ts'
import { machine, resultsDir, table, writeResults } from './report.ts'

// npm run bench [-- name… --rounds N --seconds N --people N --events N --profile --data DIR]

const ALL: Benchmark[] = [
  readUser,
  createWithEvent,
  startUp,
  saml,
  insights,
  directory,
  provisioning,
  imports,
  web,
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    people: { type: 'string' },
    events: { type: 'string', default: '2000000' },
    profile: { type: 'boolean', default: false },
    data: { type: 'string' },
  },
})
const settings = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  people: Number(values.people ?? 10_000),
  users: values.people === undefined ? null : Number(values.people),
  events: Number(values.events),
  profileDir: values.profile ? resultsDir : null,
  dataDir: values.data ?? null,
}
const unknown = positionals.find((name) => !ALL.some((benchmark) => benchmark.name === name))
if (
  unknown !== undefined ||
  !(settings.rounds > 0 && settings.seconds > 0 && settings.people > 0 && settings.events > 0)
) {
  process.stderr.write(
    `Usage: npm run bench -- [${ALL.map(({ name }) => name).join('|')}] [--rounds N] [--seconds N] [--people N] [--events N] [--profile] [--data DIR]\n`,
  )
  process.exit(2)
}

process.stdout.write(`${machine()}\n`)
const rows: Row[] = []
for (const benchmark of ALL) {
  if (positionals.length > 0 && !positionals.includes(benchmark.name)) continue
  process.stdout.write(`${benchmark.name} …\n`)
  const found = await benchmark.run(settings)
  // At once: a later benchmark may fail.
  process.stdout.write(`${table(found)}\n\n`)
  rows.push(...found)
}
process.stdout.write(`${table(rows)}\n\n${writeResults(rows)}\n`)
// A missed goal is a result, not a failure of the run.
