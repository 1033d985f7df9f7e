import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { CHROMIUM } from '../test/browser/program.ts'
import { check } from './check.ts'
import { measure } from './measure.ts'
import { choose, dependsOnDatabase, processesOf, type Ring, usesBrowser } from './rings.ts'
import { startTestCluster } from './test-cluster.ts'

// npm test: the inner ring (rings.ts). npm run test:all: everything, or with --beyond what npm test leaves out.
// With words: the test files of either ring whose path contains one of them.

/** Two processes that compute, and one whose programs mostly wait. */
const LANES = 3

const { values, positionals: words } = parseArgs({
  options: { all: { type: 'boolean' }, beyond: { type: 'boolean' } },
  allowPositionals: true,
})
const ring: Ring = values.beyond ? 'outer' : values.all ? 'all' : 'inner'
const server = process.env.TEST_DATABASE_URL

function chooseFiles(): string[] {
  const chosen = choose(words, ring)
  if (words.length > 0) return chosen
  if (server) return chosen.filter(dependsOnDatabase)
  if (ring !== 'inner' || existsSync(CHROMIUM)) return chosen
  process.stdout.write('No browser tests: Chromium is not installed (Debian: chromium)\n')
  return chosen.filter((file) => !usesBrowser(file))
}

const files = chooseFiles()
if (words.length === 0 && ring !== 'outer' && !server && !(await check())) {
  process.stdout.write('0 passed, 1 failed\n')
  process.exit(1)
}
if (files.some(usesBrowser))
  execFileSync(process.execPath, ['scripts/build-web.mjs', '--quick'], { stdio: 'inherit' })

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
// World-executable, or under root the database would have to live elsewhere.
chmodSync(directory, 0o711)
const cluster = await startTestCluster(directory, server)
process.stdout.write(
  `PostgreSQL ${cluster.version}, Node ${process.version}, ${files.length} test files\n`,
)
process.env.TEST_CLUSTER = JSON.stringify(cluster.connections)
// Most files load the whole service: compile it once for all of them, and for the programs that they start.
process.env.NODE_COMPILE_CACHE = resolve('node_modules/.cache/gatehouse')
// Whoever names files wants all of them.
process.env.TEST_EFFORT = ring === 'inner' && words.length === 0 ? 'little' : 'full'
process.env.TEST_NOTES = join(directory, 'notes')
mkdirSync(process.env.TEST_NOTES)
process.env.TEST_DATA_TEMPLATE = join(directory, 'data-template')
process.env.TEST_KEYS = resolve('node_modules/.cache/test-keys')
mkdirSync(process.env.TEST_KEYS, { recursive: true })

const together = new URL('../test/together.ts', import.meta.url)
const entries = processesOf(files).map((group, at) => {
  const path = join(directory, `process-${at + 1}.mjs`)
  const list = JSON.stringify(group)
  writeFileSync(path, `import { runTogether } from '${together}'\nrunTogether(${list})\n`)
  return path
})

const cheapCrypto = new URL('../test/cheap-crypto.ts', import.meta.url)
const counts = { passed: 0, failed: 0 }
const report = measure(LANES)
// What was started is stopped and removed, however the run ends.
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
// A failed test may leave a socket open; force the exit, or the run would hang.
const stream = run({
  files: entries,
  concurrency: LANES,
  timeout: 600_000,
  signal: interrupted.signal,
  execArgv: ['--test-force-exit', '--import', cheapCrypto.href],
})
stream.on('test:summary', (summary) => {
  if (summary.file !== undefined) return
  counts.passed = summary.counts.passed
  counts.failed = summary.counts.tests - summary.counts.passed
})
stream.compose(spec).pipe(process.stdout)
await new Promise((resolve) => stream.once('end', resolve))
await new Promise((resolve) => setImmediate(resolve))
await cluster.stop()
if (files.length > 1) process.stdout.write(`\n${report(process.env.TEST_NOTES)}`)
rmSync(directory, { recursive: true, force: true })
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`)
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
