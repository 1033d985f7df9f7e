import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fails, idsOf, open, readAll } from '../../../test/imports/source.ts'
import type { SourceConfig } from './schema.ts'

type File = Extract<SourceConfig, { kind: 'file' }>

/** In pieces of every size, since a character may be cut anywhere. */
function file(t: TestContext, data: string | Buffer, more: Partial<File> = {}, size = 1 << 16) {
  async function* readFile() {
    const bytes = Buffer.from(data as string)
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  return open(t, { kind: 'file', format: 'csv', ...more }, { readFile }).source
}

test('the header row gives the names, whatever the delimiter', async (t) => {
  const expected = [{ record: { id: '1', 'full name': 'Doe, Jane; Dr.', note: '' } }]
  for (const [delimiter, given] of [[','], [';'], ['\t'], [';', ';']] as [string, ';'?][]) {
    const text = `id${delimiter}" full name"${delimiter}note\r\n1${delimiter}"Doe, Jane; Dr."${delimiter}\r\n`
    const source = file(t, text, given && { delimiter: given })
    assert.deepEqual(await readAll(source), expected, delimiter)
  }
  // As Excel exports it: the delimiter in a row of its own.
  assert.deepEqual(await readAll(file(t, 'sep=;\r\nid;note\r\n1;a,b\r\n2\r\n', {}, 3)), [
    { record: { id: '1', note: 'a,b' } },
    { problem: 'line 4 has 1 fields instead of 2', excerpt: '2' },
  ])
  assert.deepEqual(await readAll(file(t, 'id\n1\n2')), [
    { record: { id: '1' } },
    { record: { id: '2' } },
  ])
  assert.deepEqual(await readAll(file(t, 'id,name')), [])
  assert.deepEqual(await readAll(file(t, '')), [])
})

test('bad rows are problems, a bad header is a failure', async (t) => {
  assert.deepEqual(idsOf(await readAll(file(t, 'id,b\n1,x\n2\n3,x,y\n"4"z,x\n\n5,x\n'))), [
    '1',
    'line 3 has 1 fields instead of 2',
    'line 4 has 3 fields instead of 2',
    'line 5 has text after a closing quote',
    '5',
  ])
  const cases: [string, Parameters<typeof fails>[0], RegExp][] = [
    ['id,,b\n', 'misconfigured', /no name for column 2/],
    ['id,b, id \n1,2,3\n', 'misconfigured', /has the name id twice/],
    ['id,"b\n1,2\n', 'misconfigured', /header row cannot be read/],
    ['id,b\n1,"x\n2,y\n', 'rejected', /quote that opens in the row of line 2 never closes/],
  ]
  for (const [text, kind, words] of cases)
    await assert.rejects(readAll(file(t, text)), fails(kind, words))
})

test('names are not members of a prototype', async (t) => {
  const [one] = await readAll(file(t, '__proto__,constructor\na,b\n'))
  assert.ok(one && 'record' in one)
  assert.deepEqual(Object.entries(one.record), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
})

test('text is read in its charset, and a byte order mark is obeyed', async (t) => {
  const text = 'id\nZoë €\n'
  const utf16 = Buffer.from(text, 'utf16le')
  const cases: [Buffer, File['charset']?][] = [
    [Buffer.from(text)],
    [Buffer.from(`\ufeff${text}`)],
    [Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    [Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()])],
    [utf16, 'utf-16'],
    [Buffer.from('id\nZo\xeb \x80\n', 'latin1'), 'windows-1252'],
    [Buffer.from('id\nZo\xeb \x80\n', 'latin1'), 'iso-8859-1'],
    [Buffer.from(`\ufeff${text}`), 'windows-1252'],
  ]
  for (const [bytes, charset] of cases)
    for (const size of [1, 2, 3, 1000])
      assert.deepEqual(
        idsOf(await readAll(file(t, bytes, charset && { charset }, size))),
        ['Zoë €'],
        `${charset} ${size}`,
      )
  for (const format of ['csv', 'json', 'jsonl'] as const)
    for (const size of [1, 1000])
      await assert.rejects(
        readAll(file(t, Buffer.from('id\nZo\xeb\n', 'latin1'), { format }, size)),
        fails('rejected', /not valid utf-8 \(within the first \d+ bytes\)/),
      )
})

test('JSON and JSON Lines may begin with a byte order mark', async (t) => {
  const json = '\ufeff {"people": [{"id": 1}, {"id": 2}]}'
  const source = file(t, json, { format: 'json', recordPath: 'people' })
  assert.deepEqual(idsOf(await readAll(source)), [1, 2])
  const lines = '\ufeff{"id": 1}\r\n\r\n{"id": 2}'
  for (const size of [1, 1000])
    assert.deepEqual(idsOf(await readAll(file(t, lines, { format: 'jsonl' }, size))), [1, 2])
})

test('a long file comes in batches, and a signal ends it', async (t) => {
  const rows = Array.from({ length: 2500 }, (_, at) => `${at}\n`)
  const stop = new AbortController()
  const source = file(t, `id\n${rows.join('')}`)
  assert.equal((await readAll(source)).length, 2500)
  await assert.rejects(async () => {
    for await (const _ of source.read({ signal: stop.signal })) stop.abort(new Error('stop'))
  }, /stop/)
})

test('a file that is missing or queried fails', async (t) => {
  await assert.rejects(
    readAll(open(t, { kind: 'file', format: 'csv' }).source),
    fails('misconfigured', /No file/),
  )
  await assert.rejects(
    readAll(file(t, 'id\n'), { query: 'a=b' }),
    fails('misconfigured', /cannot be queried/),
  )
})
