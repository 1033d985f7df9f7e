import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { tempDirectory } from './database.ts'
import { startApp } from './harness.ts'

// Runs the commands of README.md and docs/guide against the service: every `sh` block, in the order in which a reader
// meets them, all in one organization. Blocks for the operator's terminal are `shell`, those of README.md that start the
// service come before its first heading below.

const run = promisify(execFile)
const app = await startApp()
const blocksIn = (text: string) =>
  [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!)
const readme = readFileSync('README.md', 'utf8')
const [helper, ...firstSteps] = blocksIn(readme.slice(readme.indexOf('## First steps')))
const prelude = /^api\(\) .*$/m.exec(helper!)![0]
const contents = readFileSync('docs/guide/README.md', 'utf8')
const pages = [...contents.matchAll(/^\| \[(.+?\.md)\]/gm)].map(([, name]) => name!)

const { apiKey, providerId, organizationIds } = await app.newProvider(1)
const env = {
  ...process.env,
  URL: await app.listen(),
  KEY: apiKey,
  ORG: organizationIds[0],
  PROVIDER: providerId,
  SIEM: 'http://127.0.0.1:9/',
}

async function runAll(blocks: string[]): Promise<void> {
  const cwd = tempDirectory()
  // What earlier blocks have set is kept, and jobs run in between.
  for (const block of blocks) {
    const script = `${prelude}\ntouch kept; . ./kept\n${block}\ndeclare -p | grep -E '^declare -- [A-Z]+=' > kept`
    const { stderr } = await run('bash', ['-eo', 'pipefail', '-c', script], { cwd, env })
    assert.doesNotMatch(stderr, /curl: /, block)
    await app.runDueJobs()
  }
}

test('the first steps of README.md work', () => runAll(firstSteps))
for (const page of pages)
  test(`the commands of ${page} work`, () =>
    runAll(blocksIn(readFileSync(`docs/guide/${page}`, 'utf8'))))

test('the samples leave one organization, so that they need no x-org-id', () =>
  runAll(['api $URL/api/systemusers']))

test('every page is listed, and every link of the guide leads to a file', () => {
  for (const path of globSync('docs/guide/*.md')) {
    const name = basename(path)
    if (name !== 'README.md') assert.ok(contents.includes(`(${name})`), name)
    for (const [, target] of readFileSync(path, 'utf8').matchAll(/\]\(([^)#:]+\.md)/g))
      assert.ok(globSync(`docs/guide/${target}`).length === 1, `${name}: ${target}`)
  }
})
