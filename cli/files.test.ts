import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeWhole } from '../server/platform/files.ts'
import { callCli } from '../test/cli.ts'
import { tempDirectory } from '../test/database.ts'

// Nothing listens here: a command that checked the file too late would report that instead.
const ENV = {
  GATEHOUSE_DATA_DIR: tempDirectory(),
  DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing',
}
const TARGET = ['--url', 'http://127.0.0.1:1', '--key', 'key']

const folder = tempDirectory()
const at = (name: string) => join(folder, name)
mkdirSync(at('folder'))
execFileSync('mkfifo', [at('pipe')])
symlinkSync('/dev/null', at('to-device'))
symlinkSync(at('folder'), at('to-folder'))
symlinkSync(at('gone'), at('to-nowhere'))
writeFileSync(at('plain'), 'before')

const IRREGULAR: [name: string, why: string][] = [
  ['folder', 'it is a folder, not a regular file'],
  ['pipe', 'it is a pipe, not a regular file'],
  ['to-device', 'it is a device, not a regular file'],
  ['to-folder', 'it is a folder, not a regular file'],
]

async function assertRefused(args: string[], words: string): Promise<void> {
  const { code, stdout, stderr } = await callCli(ENV, args)
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, `gatehouse: ${words}\n`)
}

for (const verb of [['backup'], ['events', 'export', ...TARGET]]) {
  test(`${verb.slice(0, 2).join(' ')} refuses an invalid target before it starts`, async () => {
    const before = readdirSync(folder)
    const cases: [string, string][] = [
      ...IRREGULAR,
      ['to-nowhere', 'it is a dangling symlink'],
      ['no/file', `directory ${at('no')} does not exist`],
      ['plain/file', `directory ${at('plain')} does not exist`],
      ['new/', 'it is a directory'],
    ]
    for (const [name, why] of cases)
      await assertRefused([...verb, at(name)], `${at(name)} cannot be written: ${why}`)
    assert.deepEqual(readdirSync(folder), before, 'nothing was left behind')
    assert.ok(lstatSync(at('pipe')).isFIFO())
  })
}

for (const verb of [['restore'], ['events', 'import', ...TARGET]]) {
  test(`${verb.slice(0, 2).join(' ')} refuses an invalid source`, async () => {
    const cases: [string, string][] = [
      ...IRREGULAR,
      ['to-nowhere', 'the file does not exist'],
      ['no/file', 'the file does not exist'],
    ]
    for (const [name, why] of cases)
      await assertRefused([...verb, at(name)], `${at(name)} cannot be read: ${why}`)
  })
}

test('a file is replaced atomically, also behind a link, or stays as it was', async () => {
  symlinkSync(at('plain'), at('link'))
  await assert.rejects(
    writeWhole(at('link'), async (handle) => {
      await handle.writeFile('half')
      throw new Error('broken off')
    }),
    /^Error: broken off$/,
  )
  assert.equal(readFileSync(at('plain'), 'utf8'), 'before')
  await writeWhole(at('link'), (handle) => handle.writeFile('after'))
  assert.equal(readFileSync(at('plain'), 'utf8'), 'after')
  assert.ok(lstatSync(at('link')).isSymbolicLink())
  assert.equal(lstatSync(at('plain')).mode & 0o777, 0o600)
  assert.ok(!readdirSync(folder).some((name) => name.includes('.partial')))
})

test('a full disk is reported in one line', async () => {
  // Every write to it fails, as on a full disk.
  await assert.rejects(
    writeWhole(at('full'), async () => writeFileSync('/dev/full', 'no room')),
    new RegExp(`^OperatorError: ${at('full')} cannot be written: ENOSPC: no space left on device`),
  )
})
