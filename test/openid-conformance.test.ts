import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

test('docs/openid-conformance.md names tests that exist', () => {
  const rows = readFileSync('docs/openid-conformance.md', 'utf8').match(/^\| `oidcc-.*$/gm) ?? []
  assert.ok(rows.length > 40)
  for (const row of rows) {
    const [, , ours = ''] = row.split(' | ').flatMap((cell, at) => (at === 0 ? ['', cell] : cell))
    if (ours === 'none') continue
    const [, file, name] = /^`([^`]+)`: (.+)$/.exec(ours) ?? []
    assert.ok(file && name, row)
    assert.ok(readFileSync(file, 'utf8').includes(name), `${file} has no test "${name}"`)
  }
})
