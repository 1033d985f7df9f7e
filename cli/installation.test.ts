import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callCli } from '../test/cli.ts'
import { tempDirectory } from '../test/database.ts'

const ROOT = join(import.meta.dirname, '..')

test('the data directory is that of the installation, whatever the working directory', () => {
  const { PATH = '', HOME = '' } = process.env
  const main = join(ROOT, 'cli/main.ts')
  const printed = execFileSync(process.execPath, [main, 'config', 'print', '--json'], {
    cwd: tempDirectory(),
    env: { PATH, HOME },
    encoding: 'utf8',
  })
  assert.equal(JSON.parse(printed).GATEHOUSE_DATA_DIR, join(ROOT, 'data'))
})

test('a verb that needs a database refuses without one, says where it looked and makes none', async () => {
  const dataDir = tempDirectory()
  for (const args of [
    ['mail'],
    ['admin', 'list'],
    ['admin', 'reset-key', 'somebody@example.com'],
    ['org', 'list'],
    ['org', 'create', '--name', 'Acme'],
    ['admin', 'reset-totp', 'somebody@example.com'],
    ['jobs', 'list'],
    ['keys', 'rotate'],
    ['backup', join(dataDir, 'x')],
  ]) {
    const { code, stdout, stderr } = await callCli({ GATEHOUSE_DATA_DIR: dataDir }, args)
    assert.equal(code, 1, args.join(' '))
    assert.equal(stdout, '')
    assert.ok(stderr.startsWith(`gatehouse: There is no database in ${dataDir}:`), stderr)
  }
  assert.deepEqual(readdirSync(dataDir), [])
})
