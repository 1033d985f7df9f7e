import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const script = `
  import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)}
  const log = createLog('info')
  for (let n = 0; n < 500; n++) log.info({ n, text: 'ä€😀'.repeat(n % 40) }, 'line')
  log.info({ n: 500, text: '€'.repeat(30_000) }, 'long')
  log.info({ n: 501, password: 'secret' }, 'last')
  log.debug({ n: 502 }, 'not this one')`

test('all lines arrive in order, including long ones and those written at exit', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    maxBuffer: 10_000_000,
  })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { n: number; text?: string; password?: string })
  assert.deepEqual(
    lines.map(({ n }) => n),
    Array.from({ length: 502 }, (_, n) => n),
  )
  assert.equal(lines[39]?.text, 'ä€😀'.repeat(39))
  assert.equal(lines[500]?.text?.length, 30_000)
  assert.equal(lines[501]?.password, '[hidden]')
})
