import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generatePeople } from '../../lab/generated-people.ts'
import { defaultMapping } from './default-mapping.ts'
import { type Incoming, isReadable, reader } from './incoming.ts'
import type { FileSettings } from './sources/settings.ts'

const file = (format: FileSettings['format']) =>
  reader(
    defaultMapping({ kind: 'file', format, recordPath: null, delimiter: null, charset: 'utf-8' }),
  )
const fromCsv = file('csv')
const fromJson = file('json')

function people(read: typeof fromCsv, ...records: object[]): Incoming[] {
  return records.map((record) => {
    const found = read(record as Record<string, unknown>)
    assert.ok(isReadable(found), JSON.stringify(found))
    return found
  })
}

test('the usual names are found in every spelling', () => {
  const spelled = people(
    fromCsv,
    { 'First Name': 'Ada', 'Last Name': 'King', 'Work Email': 'A.King@example.com' },
    { 'First name': 'Ada', Surname: 'King', 'Email address': 'A.King@example.com' },
    { first_name: 'Ada', last_name: 'King', email: 'A.King@example.com' },
    { firstName: 'Ada', lastName: 'King', workEmail: 'A.King@example.com' },
    { 'FIRST NAME': 'Ada', 'LAST NAME': 'King', EMAIL: 'A.King@example.com' },
    { 'given name': 'Ada ', 'family name': ' King', 'E-Mail': 'A.King@example.com ' },
  )
  const write = {
    email: 'A.King@example.com',
    username: 'a.king',
    firstname: 'Ada',
    lastname: 'King',
  }
  for (const one of spelled) {
    assert.deepEqual(one.write, write)
    assert.equal(one.externalId, 'a.king@example.com')
  }
})

test('values with several meanings do no harm', () => {
  const [california, off, rows, list] = people(
    fromCsv,
    { email: 'a@example.com', State: 'CA' },
    { email: 'a@example.com', Status: 'Terminated', State: 'CA' },
    { email: 'a@example.com', id: '1' },
    { email: 'a@example.com', Groups: 'Staff; On call|Leads' },
  )
  assert.deepEqual([california!.state, off!.state], [null, 'SUSPENDED'])
  assert.equal(rows!.externalId, 'a@example.com', 'a number of the row is not an id')
  assert.deepEqual(list!.groups, ['Staff', 'On call', 'Leads'])
})

test('objects of JSON are understood', () => {
  const [lab, nested, plain] = people(
    fromJson,
    generatePeople(2)[1]!,
    {
      id: 7,
      name: { first: 'Ada', last: 'King', formatted: 'Ada King' },
      emails: [{ value: 'a@example.com', primary: true }],
      department: { id: 3, name: 'Research' },
      manager: { id: 1 },
    },
    { name: 'Ada King', email: 'a@example.com', active: false },
  )
  assert.deepEqual(
    [lab!.externalId, lab!.manager, lab!.state, lab!.write.location, lab!.groups],
    ['P000002', 'P000001', 'ACTIVATED', 'Bristol', ['Sales']],
  )
  assert.deepEqual([nested!.externalId, nested!.manager], ['7', '1'])
  assert.deepEqual(nested!.write, {
    email: 'a@example.com',
    username: 'a',
    firstname: 'Ada',
    lastname: 'King',
    displayname: 'Ada King',
    department: 'Research',
  })
  assert.deepEqual([plain!.write.displayname, plain!.state], ['Ada King', 'SUSPENDED'])
})
