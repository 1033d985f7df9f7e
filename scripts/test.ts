import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { check } from './check.ts'
import { startTestCluster } from './test-cluster.ts'

// npm test [-- words]: runs all test files, or those whose path contains one of the words.
const words = process.argv.slice(2)
const files = globSync([
  'server/**/*.test.ts',
  'cli/**/*.test.ts',
  'client/**/*.test.ts',
  'lab/**/*.test.ts',
  'test/**/*.test.ts',
])
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()

if (words.length === 0 && !process.env.TEST_DATABASE_URL && !(await check())) {
  process.stdout.write('0 passed, 1 failed\n')
  process.exit(1)
}

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
// World-executable, or under root the database would have to live elsewhere.
chmodSync(directory, 0o711)
const cluster = await startTestCluster(directory, process.env.TEST_DATABASE_URL)
process.stdout.write(
  `PostgreSQL ${cluster.version}, Node ${process.version}, ${files.length} test files\n`,
)
process.env.TEST_CLUSTER = JSON.stringify(cluster.connections)
// Most files load the whole service: compile it once for all of them.
process.env.NODE_COMPILE_CACHE = join(directory, 'compiled')

// Loading the service takes longer than the tests of most files. They therefore run sequentially in two processes, as
// separate suites, and share one application in each unless they start it with options. Files that start programs, or
// change what is global, get their own process; programs mostly wait, so two of these files run beside the others.
const ALONE = ['test/process/', 'test/demo', 'test/browser/', 'cli/', 'server/platform/operations']
const placeOf = (file: string) => ALONE.findIndex((start) => file.startsWith(start))
const alone = files
  .filter((file) => placeOf(file) >= 0)
  .sort((one, other) => placeOf(one) - placeOf(other))
const others = files.filter((file) => placeOf(file) < 0)
const groups = [0, 1]
  .map((group) => others.filter((_, at) => at % 2 === group))
  .filter((group) => group.length > 0)
const together = new URL('../test/together.ts', import.meta.url)
const entries = groups.map((group, at) => {
  if (group.length === 1) return group[0]!
  const path = join(directory, `together-${at + 1}.mjs`)
  const list = JSON.stringify(group)
  writeFileSync(path, `import { runTogether } from '${together}'\nrunTogether(${list})\n`)
  return path
})

const cheapCrypto = new URL('../test/cheap-crypto.ts', import.meta.url)
process.env.TEST_KEYS = join(directory, 'keys')
mkdirSync(process.env.TEST_KEYS)
const counts = { passed: 0, failed: 0 }
// A failed test may leave a socket open; force the exit, or the run would hang.
const stream = run({
  files: [...entries, ...alone],
  concurrency: 4,
  timeout: 600_000,
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
rmSync(directory, { recursive: true, force: true })
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`)
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
