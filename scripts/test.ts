import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
  'web/src/**/*.test.ts',
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
// Most files load the whole service: compile it once for all of them, and for the programs that they start.
process.env.NODE_COMPILE_CACHE = resolve('node_modules/.cache/gatehouse')

// Loading the service takes longer than the tests of most files. Files therefore run sequentially in a few processes, as
// separate suites, and share one application in each unless they start it with options. Two processes take turns at most
// of the files; those that start programs, which mostly wait, run beside them. Files that change what is global, or end
// what they started when they are done, get their own process.
const ALONE = ['test/process/', 'test/demo', 'server/platform/operations']
const PROGRAMS = ['cli/', 'test/browser/']
const within = (starts: string[]) =>
  files.filter((file) => starts.some((at) => file.startsWith(at)))
const alone = within(ALONE)
const programs = PROGRAMS.map((start) => within([start]))
// The longest ones first: they are the tests across slices, last in the alphabet.
const others = files.filter((file) => !within([...ALONE, ...PROGRAMS]).includes(file)).reverse()
process.env.TEST_TAKEN = join(directory, 'taken')
mkdirSync(process.env.TEST_TAKEN)
process.env.TEST_DATA_TEMPLATE = join(directory, 'data-template')
const together = new URL('../test/together.ts', import.meta.url)
const entries = [others, others.slice(0, -1), ...programs]
  .filter((group) => group.length > 0)
  .map((group, at) => {
    const path = join(directory, `together-${at + 1}.mjs`)
    const list = JSON.stringify(group)
    writeFileSync(path, `import { runTogether } from '${together}'\nrunTogether(${list})\n`)
    return path
  })

const cheapCrypto = new URL('../test/cheap-crypto.ts', import.meta.url)
process.env.TEST_KEYS = resolve('node_modules/.cache/test-keys')
mkdirSync(process.env.TEST_KEYS, { recursive: true })
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
