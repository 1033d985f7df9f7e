import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEntries } from './entries.ts'
import { toWorker, WorkerPage } from './workers.ts'

async function* pieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function entriesOf(text: string, size = 7) {
  const entries: object[] = []
  for await (const entry of readEntries(pieces(text, size))) entries.push(entry)
  return entries
}

test('a report is split into its entries, wherever its chunks end', async () => {
  const entries = [
    { Name: 'Émilie "Em" O\'Brien', Path: 'C:\\', Note: '}]{["' },
    { Nested: { List: [{ a: [] }, 'x'], Report_Entry: [{ no: 1 }] }, Empty: '' },
    {},
  ]
  const report = {
    Report_Total: 3,
    Other: [{ not: 'an entry' }],
    'Report_Entry ': [{ nor: 'this' }],
    Report_Entry: entries,
    After: { Report_Entry: [{}] },
  }
  for (const text of [JSON.stringify(report), JSON.stringify(report, null, 2)])
    for (let size = 1; size < 40; size++) assert.deepEqual(await entriesOf(text, size), entries)
  assert.deepEqual(await entriesOf('\ufeff {"Report_Entry":[]}\r\n'), [])
})

test('a report that is not one is refused with the reason', async () => {
  const cases: [string, RegExp][] = [
    ['<html>Sign in</html>', /not a JSON object; does its URL ask for format=json/],
    ['[{"a":1}]', /not a JSON object/],
    ['"Report_Entry"', /not a JSON object/],
    ['', /no Report_Entry/],
    ['{}', /no Report_Entry/],
    ['{"rows":[{}]}', /no Report_Entry/],
    ['{"a":"Report_Entry", "b":[{}]}', /no Report_Entry/],
    ['{"Report_Entry":[{"a":1},{"b"', /incomplete/],
    ['{"Report_Entry":[{"a":1}]', /incomplete/],
    ['{"Report_Entry":[{"a":1},{"b":}]}', /not valid JSON/],
  ]
  for (const [text, message] of cases)
    await assert.rejects(entriesOf(text), { reason: 'report_unreadable', message }, text)
})

test('the usual names of members become the fields of a worker', () => {
  const cases: [object, object][] = [
    [
      {
        Employee_ID: '1',
        User_Name: 'ada',
        First_Name: 'Ada',
        Last_Name: 'L',
        Work_Email: 'a@x.co',
      },
      {
        username: 'ada',
        firstName: 'Ada',
        lastName: 'L',
        email: 'a@x.co',
        attributes: { Employee_ID: '1' },
      },
    ],
    [
      { username: ' ada ', firstName: 'Ada', lastName: 'L', email: 'a@x.co' },
      { username: 'ada', firstName: 'Ada', lastName: 'L', email: 'a@x.co', attributes: {} },
    ],
    [
      { 'wd:Employee_ID': 7, 'wd:Worker': { Descriptor: 'Ada King Lovelace (On Leave)' } },
      { username: '7', firstName: 'Ada King', lastName: 'Lovelace', email: '' },
    ],
    [
      { Legal_Name: 'Lovelace, Ada', 'Email - Primary Work': [{ Descriptor: 'a@x.co' }] },
      {
        username: '',
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'a@x.co',
        attributes: { Legal_Name: 'Lovelace, Ada' },
      },
    ],
    [
      { First_Name: '', Legal_First_Name: 'Augusta', Legal_Name: 'Madonna', email: null },
      {
        username: '',
        firstName: 'Augusta',
        lastName: 'Madonna',
        email: '',
        attributes: { First_Name: '', Legal_Name: 'Madonna', email: null },
      },
    ],
    [
      { User_Name: ['a', 'b'], Email: {} },
      { username: '', email: '', firstName: '', lastName: '' },
    ],
  ]
  for (const [entry, expected] of cases) {
    const worker = toWorker(entry as Record<string, unknown>)
    assert.deepEqual({ ...worker, ...expected }, worker)
  }
})

// A time that grew with the square of the length would be hours.
test('a long name takes no longer than its length', () => {
  const million = (text: string) => text.repeat(1_000_000)
  const nameOf = (Worker: string) => {
    const { firstName, lastName } = toWorker({ Worker })
    return [firstName.length, lastName.length]
  }
  assert.deepEqual(nameOf(`a${million(' ')}b`), [1, 1])
  assert.deepEqual(nameOf(`a${million(' ')},${million(' ')}b`), [1, 1])
  assert.deepEqual(nameOf(million('a')), [0, 1_000_000])
  assert.deepEqual(nameOf(`${million('a')} b`), [1_000_000, 1])
  assert.deepEqual(nameOf(`a b${million('(')}`), [1, 1_000_001])
  assert.deepEqual(nameOf(`a b${million('()')}`), [1, 1_999_999])
})

test('a page of workers: order of the report, or sorted', () => {
  const pageOf = (query: ConstructorParameters<typeof WorkerPage>[0]) => {
    const page = new WorkerPage(query)
    for (let at = 0; at < 2500; at++)
      page.add({
        User_Name: `u${String((at * 7) % 2500).padStart(4, '0')}`,
        Last_Name: `L${at % 2}`,
      })
    return { total: page.totalCount, names: page.workers.map(({ username }) => username) }
  }
  assert.deepEqual(pageOf({ limit: 2, skip: 1 }), { total: 2500, names: ['u0007', 'u0014'] })
  assert.equal(pageOf({}).names.length, 10)
  assert.equal(pageOf({ limit: 0 }).names.length, 1000)
  assert.equal(pageOf({ limit: 9999 }).names.length, 1000)
  assert.deepEqual(pageOf({ skip: 2500 }).names, [])
  assert.deepEqual(pageOf({ limit: 2, skip: 1, sort: ['username'] }).names, ['u0001', 'u0002'])
  assert.deepEqual(pageOf({ limit: 1, skip: 2499, sort: ['-username'] }).names, ['u0000'])
  assert.deepEqual(pageOf({ limit: 2, sort: ['-lastName,username'] }).names, ['u0001', 'u0003'])
  assert.throws(() => pageOf({ sort: ['-age'] }), { reason: 'unknown_field', message: /^sort: / })
})
