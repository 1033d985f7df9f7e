import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { tempDirectory } from './database.ts'
import { startApp } from './harness.ts'

// Runs the commands of docs/guide against the service: every `sh` block, in order, each page in an organization of its
// own. Blocks for the operator's terminal are `shell`.

const run = promisify(execFile)
const app = await startApp({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } })
const blocksOf = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, text]) => text!)
const [helper] = blocksOf('docs/guide/README.md')
const prelude = /^api\(\) .*$/m.exec(helper!)![0]

for (const path of globSync('docs/guide/*.md').sort()) {
  const page = basename(path)
  if (page === 'README.md') continue
  test(`the commands of ${page} work`, async () => {
    const { apiKey } =
      page === 'running.md' ? await app.newProvider(1) : await app.newOrganization()
    const cwd = tempDirectory()
    const env = {
      ...process.env,
      URL: await app.listen(),
      KEY: apiKey,
      SIEM: 'http://127.0.0.1:9/',
    }
    // What earlier blocks have set is kept, and jobs run in between.
    for (const block of blocksOf(path)) {
      const script = `${prelude}\ntouch kept; . ./kept\n${block}\ndeclare -p | grep -E '^declare -- [A-Z]+=' > kept`
      const { stderr } = await run('bash', ['-eo', 'pipefail', '-c', script], { cwd, env })
      assert.doesNotMatch(stderr, /curl: /, block)
      await app.runDueJobs()
    }
  })
}

test('every page is listed, and every link of the guide leads to a file', () => {
  const readme = readFileSync('docs/guide/README.md', 'utf8')
  for (const path of globSync('docs/guide/*.md')) {
    const name = basename(path)
    if (name !== 'README.md') assert.ok(readme.includes(`(${name})`), name)
    for (const [, target] of readFileSync(path, 'utf8').matchAll(/\]\(([^)#:]+\.md)/g))
      assert.ok(globSync(`docs/guide/${target}`).length === 1, `${name}: ${target}`)
  }
})
