import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOf } from '../../../test/imports/source.ts'
import { row } from '../../platform/csv.ts'
import { CsvRecords } from './csv.ts'
import type { Delimiter } from './settings.ts'

/** In pieces, since a row may be cut anywhere. */
async function parse(
  text: string,
  size = Math.max(text.length, 1),
  delimiter: Delimiter | null = null,
) {
  const parser = new CsvRecords(delimiter)
  const records = []
  const characters = size < 100 ? [...text] : text
  for (let at = 0; at < characters.length; at += size) {
    const piece = characters.slice(at, at + size)
    records.push(...parser.push(typeof piece === 'string' ? piece : piece.join('')))
  }
  return [...records, ...(await parser.end())]
}

/** The fields of the rows below a header of as many columns; the reason of those that cannot be relied on. */
async function rowsOf(columns: number, text: string, size?: number) {
  const header = Array.from({ length: columns }, (_, at) => `c${at}`).join(',')
  const records = await parse(`${header}\n${text}`, size, ',')
  return records.map((one) => ('record' in one ? Object.values(one.record) : one.problem))
}

test('rows are read by RFC 4180, however they are cut', async () => {
  const cases: [string, unknown[]][] = [
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\r1\r', [['a'], ['1']]],
    ['a\r\n1\n2\r3', [['a'], ['1'], ['2'], ['3']]],
    ['"a, b","c ""d"""\n', [['a, b', 'c "d"']]],
    ['"two\r\nlines",x\n', [['two\r\nlines', 'x']]],
    ['"""a"" b",""""\n', [['"a" b', '"']]],
    [',\n', [['', '']]],
    ['a\n\n\r\n\nb\n', [['a'], ['b']]],
    ['""\n', [['']]],
    ['""', [['']]],
    ['a"b,c"\n', [['a"b', 'c"']]],
    [' "a"\n', [[' "a"']]],
    ['', []],
  ]
  for (const [text, expected] of cases) {
    const columns = (expected[0] as string[] | undefined)?.length ?? 1
    for (let size = 1; size <= text.length + 1; size++)
      assert.deepEqual(await rowsOf(columns, text, size), expected, JSON.stringify([text, size]))
  }
})

test('a problem names the line where its row begins', async () => {
  const text = 'a\r\n"1\n2"\r\n\r\nb,c\r\n\n"\r\n",d\n'
  for (const size of [1, 2, 3, 1000])
    assert.deepEqual(await rowsOf(1, text, size), [
      ['a'],
      ['1\n2'],
      'line 6 has 2 fields instead of 1',
      'line 8 has 2 fields instead of 1',
    ])
})

test('a row that cannot be relied on does not affect the others', async () => {
  for (const size of [1, 3, 1000]) {
    const bad = (line: number) => `line ${line} has text after a closing quote`
    assert.deepEqual(await rowsOf(2, '"a"b,c\nd,e\n', size), [bad(2), ['d', 'e']])
    assert.deepEqual(await rowsOf(2, 'a,"b" \r\nd,"""e"" ""f"', size), [bad(2), ['d', '"e" "f']])
    assert.deepEqual(await rowsOf(2, '\n""b,c\n"""a",""""x\nd,"e"', size), [
      bad(3),
      bad(4),
      ['d', 'e'],
    ])
    await assert.rejects(rowsOf(1, 'd\n\n"a\nb\n', size), /row of line 4 never closes/)
    await assert.rejects(rowsOf(1, '"a\n\nb\n', size), /row of line 2 never closes/)
  }
  const long = 'x'.repeat(17 * 1024 * 1024)
  for (const text of [long, `"${long}"`])
    assert.deepEqual(await rowsOf(1, `a\n${text}\nb`, 1 << 16), [
      ['a'],
      'line 3 is longer than 16 MB',
      ['b'],
    ])
})

test('a header may be as wide as a row', async () => {
  const names = Array.from({ length: 300_000 }, (_, at) => `c${at}`).join()
  assert.deepEqual(await parse(`${names}\n1\n`, 1 << 16), [
    { problem: 'line 2 has 1 fields instead of 300000', excerpt: '1' },
  ])
})

test('blank text before the header takes no longer than other text', async () => {
  const blank = ' '.repeat(1024 * 1024)
  for (const size of [1000, blank.length]) {
    await assert.rejects(parse(blank, size), /has no name for column 1/)
    const lines = '\n'.repeat(1024 * 1024)
    assert.deepEqual(idsOf(await parse(`${lines}id;b\n1;2\n`, size)), ['1'])
  }
})

test('what we write can be read', async () => {
  const values = ['plain', 'a,b', 'say "hi"', 'two\nlines', ' padded ', '', 'ünïcödé 😀']
  for (const size of [1, 7, 1000])
    assert.deepEqual(await rowsOf(7, row(values) + row(values), size), [values, values])
})
