import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row } from './csv.ts'
import { CsvParser, type CsvRow } from './csv-parser.ts'

/** In pieces of every size, since a row may be cut anywhere. */
function parse(text: string, size = text.length, delimiter = ',', maxLength = 1000): CsvRow[] {
  const parser = new CsvParser(delimiter, maxLength)
  const rows: CsvRow[] = []
  for (let at = 0; at < text.length; at += size)
    rows.push(...parser.push(text.slice(at, at + size)))
  return [...rows, ...parser.end()]
}

const fieldsOf = (rows: CsvRow[]) => rows.map(({ fields }) => fields)

test('rows are read by RFC 4180, however they are cut', () => {
  const cases: [string, string[][]][] = [
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
    ['"a, b","c ""d"""\n', [['a, b', 'c "d"']]],
    ['"two\r\nlines",x\n', [['two\r\nlines', 'x']]],
    [',\n', [['', '']]],
    ['a\n\n\r\n\nb\n', [['a'], ['b']]],
    ['""\n', [['']]],
    ['a"b,c"\n', [['a"b', 'c"']]],
    [' "a"\n', [[' "a"']]],
    ['', []],
  ]
  for (const [text, expected] of cases)
    for (let size = 1; size <= text.length + 1; size++)
      assert.deepEqual(fieldsOf(parse(text, size)), expected, JSON.stringify([text, size]))
})

test('rows tell where they begin', () => {
  assert.deepEqual(
    parse('a\r\n"1\n2"\r\n\r\nb').map(({ line }) => line),
    [1, 2, 5],
  )
})

test('a row that cannot be relied on does not affect the others', () => {
  const problems = (text: string, max?: number) =>
    [1, 3, 1000].map((size) => parse(text, size, ',', max).map(({ problem }) => problem ?? 'none'))
  const always = (expected: string[]) => [expected, expected, expected]
  assert.deepEqual(problems('"a"b,c\nd\n'), always(['bad_quotes', 'none']))
  assert.deepEqual(problems('d\n"a\nb\n'), always(['none', 'open_quote']))
  assert.deepEqual(problems(`a\n${'x'.repeat(20)}\nb`, 10), always(['none', 'too_long', 'none']))
  assert.deepEqual(
    problems(`a\n"${'x\n'.repeat(20)}",y\nb`, 10),
    always(['none', 'too_long', 'none']),
  )
  assert.deepEqual(problems(`a\n${','.repeat(20)}\nb`, 10), always(['none', 'too_long', 'none']))
})

test('what we write can be read', () => {
  const values = ['plain', 'a,b', 'say "hi"', 'two\nlines', ' padded ', '', 'ünïcödé 😀']
  const text = row(values) + row(values)
  for (const size of [1, 7, 1000]) assert.deepEqual(fieldsOf(parse(text, size)), [values, values])
})
