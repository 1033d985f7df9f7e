import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { defaultColumns, valueAt } from '../insights/export/columns.ts'
import { SERVICES } from '../insights/services.ts'
import { cell, row } from './csv.ts'
import { contentCoding } from './http/file-answer.ts'

/** The rows as parsed by an independent library. */
function parsed(text: string): string[][] {
  const program =
    'import csv,io,json,sys; t=io.TextIOWrapper(sys.stdin.buffer,"utf-8",newline=""); print(json.dumps(list(csv.reader(t,strict=True))))'
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: text })
  assert.equal(String(stderr), '')
  return JSON.parse(String(stdout))
}

test('every value round-trips through an independent parser', () => {
  const texts = [
    '',
    'plain',
    'a,b',
    'say "no"',
    'two\r\nlines',
    ' edge ',
    'Zoë 🦊',
    '{"a":[1]}',
    ';',
  ]
  assert.deepEqual(parsed(row(texts) + row([1, -5, 1.5, true, false, null, undefined])), [
    texts,
    ['1', '-5', '1.5', 'true', 'false', '', ''],
  ])
  assert.equal(row(['a', 'b']), 'a,b\r\n')
})

test('no text can be a formula, and numbers stay numbers', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＠']) {
    const text = `${start}cmd|' /C calc'!A0`
    assert.deepEqual(parsed(row([text])), [[`'${text}`]])
  }
  assert.equal(cell('-5'), "'-5")
  assert.equal(cell(-5), '-5')
  assert.equal(cell([-5, 6]), "'-5; 6")
  assert.equal(cell(['=1+1', 'b']), "'=1+1; b")
  assert.equal(cell({ '=a': 1 }), '"{""=a"":1}"')
})

test('a path leads through objects and lists', () => {
  const event = { a: { b: [{ c: 1 }, { c: [2, 3] }, {}, null] }, 'x.y': 1, list: [] }
  assert.deepEqual(valueAt(event, ['a', 'b', 'c']), [1, 2, 3])
  assert.equal(valueAt(event, ['a', 'none']), undefined)
  assert.equal(valueAt(event, ['a', 'constructor']), undefined)
  assert.deepEqual(valueAt(event, ['list']), [])
})

test('the columns depend only on the services', () => {
  for (const services of [...SERVICES.map((one) => [one]), SERVICES]) {
    const columns = defaultColumns(services)
    assert.deepEqual(columns, [...new Set(columns)])
    assert.deepEqual(columns.slice(0, 3), ['timestamp', 'service', 'event_type'])
    assert.deepEqual(columns.slice(-3), ['organization', 'id', 'document'])
  }
  assert.ok(defaultColumns(['ldap']).includes('dn'), 'a field of one service alone')
  assert.ok(!defaultColumns(SERVICES).includes('dn'))
  assert.ok(!defaultColumns(['ldap']).includes('geoip.city'), 'not a field of the service')
})

test('the Accept header chooses among the offered types', () => {
  const cases: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['GZIP;Q=0.1', 'gzip'],
    ['br;q=0', undefined],
  ]
  for (const [header, expected] of cases) assert.equal(contentCoding(header), expected, header)
})
