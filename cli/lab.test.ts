import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PROFILES } from '../lab/scim/profiles.ts'
import { callCli, runCli } from '../test/cli.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

test('lab scim lists its profiles, one line each', async () => {
  const { code, stdout } = await runCli({}, ['lab', 'scim', '--profile', 'list'])
  assert.equal(code, 0)
  const lines = stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    Object.keys(PROFILES),
  )
  assert.match(lines[0]!, /^standard +Follows RFC 7643/)
})

test('lab scim refuses wrong options', async () => {
  const cases: [string[], RegExp][] = [
    [['--profile', 'toString'], /no profile "toString"; use one of: standard, aws/],
    [['--port', '65536'], /--port must be a number from 0 to 65535/],
    [['--fail-rate', '2'], /--fail-rate must be a number from 0 to 1/],
    [['--fail-rate', '0.1.2'], /--fail-rate must be a number from 0 to 1/],
    [['--fail-status', '200'], /--fail-status must be a number from 400 to 599/],
    [['--delay', 'long'], /--delay must be a number/],
  ]
  for (const [options, message] of cases) {
    const { code, stderr } = await callCli({}, ['lab', 'scim', ...options])
    assert.equal(code, 2, stderr)
    assert.match(stderr, message)
  }
})

/** Runs until it has printed the command to try it with; returns everything it printed. */
async function startLab(t: TestContext, args: string[]) {
  const options = { stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'] }
  const child = spawn(process.execPath, [MAIN, 'lab', ...args], options)
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    if (/^ {2}curl .*\n/m.test(printed)) break
  }
  return { child, printed }
}

test('lab scim prints how to connect, serves with the options, and ends on a signal', async (t) => {
  const options = ['--port', '0', '--profile', 'bare', '--token', 'T0', '--fail-rate', '1']
  const { child, printed } = await startLab(t, ['scim', ...options, '--fail-status', '418'])
  assert.match(printed, /profile {3}bare\n/)
  assert.match(printed, /token {5}T0\n/)
  const [, command] = /^ {2}curl (.*)$/m.exec(printed)!
  const [, header, url] = /^-H 'Authorization: (.*)' (\S+)$/.exec(command!)!
  assert.match(url!, /^http:\/\/127\.0\.0\.1:\d+\/scim\/v2\/Users$/)
  assert.equal((await fetch(url!, { headers: { authorization: header! } })).status, 418)
  assert.equal((await fetch(new URL('/', url))).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('lab people serves the same people in each form, to holders of the token only', async (t) => {
  const options = ['--port', '0', '--people', '3', '--token', 'T0']
  const { child, printed } = await startLab(t, ['people', ...options])
  const urls = printed.match(/^ {2}http:\S+$/gm)!.map((line) => line.trim())
  assert.equal(urls.length, 8)
  for (const url of urls) {
    assert.equal((await fetch(url)).status, 401)
    const response = await fetch(url, { headers: { authorization: 'Bearer T0' } })
    const emails = (await response.text()).match(/[\w.]+@people\.example/g)
    assert.equal(new Set(emails).size, 3, url)
  }
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('lab people refuses wrong options', async () => {
  for (const options of [
    ['--people', '-1'],
    ['--people', '1000001'],
    ['--fail-rate', '2'],
  ]) {
    const { code, stderr } = await callCli({}, ['lab', 'people', ...options])
    assert.equal(code, 2, stderr)
  }
})

test('lab workday prints its report and credentials, and ends on a signal', async (t) => {
  const { code, stderr } = await runCli({}, ['lab', 'workday', '--workers', 'many'])
  assert.equal(code, 2)
  assert.match(stderr, /--workers must be a number from 0 to 100000/)

  const options = ['--port', '0', '--username', 'me', '--password', 'P0', '--workers', '3']
  const args = [MAIN, 'lab', 'workday', ...options]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    if (/^ {2}curl .*\n/m.test(printed)) break
  }
  const [, credentials, url] = /^ {2}curl -u '(.*)' '(.*)'$/m.exec(printed)!
  assert.equal(credentials, 'me:P0')
  const answer = await fetch(url!, { headers: { authorization: `Basic ${btoa('me:P0')}` } })
  assert.equal(((await answer.json()) as { Report_Entry: object[] }).Report_Entry.length, 3)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})
