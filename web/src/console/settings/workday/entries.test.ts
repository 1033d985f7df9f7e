import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf, entryOf, obstacleOf, partsOf, textOf, type Worker } from './entries.ts'

const worker = (more: Partial<Worker> = {}): Worker => ({
  username: 'ada',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Okafor',
  attributes: {},
  ...more,
})

test('attributes become text; what has none is left out', () => {
  const cases: [unknown, string][] = [
    [' 21001 ', '21001'],
    [7, '7'],
    [true, 'true'],
    [{ Descriptor: 'Denver', ID: 'LOC-1' }, 'Denver'],
    [[{ descriptor: 'Denver' }], 'Denver'],
    [['a', 'b'], ''],
    [[{ Manager_Employee_ID: '21001' }], ''],
    [null, ''],
  ]
  for (const [value, text] of cases) assert.equal(textOf(value), text)
  const attributes = { Employee_ID: '21001', Manager_group: [{}], Note: 'x'.repeat(1025) }
  assert.deepEqual(entryOf(worker({ attributes }), 'STAGED'), {
    username: 'ada',
    email: 'ada@example.com',
    firstname: 'Ada',
    lastname: 'Okafor',
    state: 'STAGED',
    attributes: [{ name: 'Employee_ID', value: '21001' }],
  })
  assert.ok(!('state' in entryOf(worker(), undefined)))
})

test('who cannot become a user, and why', () => {
  assert.equal(obstacleOf(worker()), null)
  assert.equal(obstacleOf(worker({ username: '' })), 'No username')
  assert.equal(obstacleOf(worker({ username: 'ada b' })), 'A space in the username')
  assert.equal(obstacleOf(worker({ email: '' })), 'No e-mail')
  for (const email of ['ada', 'ada@localhost', 'ada@a..b', '.ada@example.com'])
    assert.equal(obstacleOf(worker({ email })), 'E-mail is not valid', email)
})

test('a large import is split into requests that are not too large', () => {
  const large = entryOf(worker({ attributes: { Note: 'é'.repeat(1000) } }), undefined)
  const parts = partsOf(Array(500).fill(large))
  assert.equal(parts.flat().length, 500)
  assert.equal(parts.length, 3)
  for (const part of parts) assert.ok(Buffer.byteLength(JSON.stringify(part)) <= 500_001)
  assert.deepEqual(partsOf([]), [])
})

test('the telling attributes are shown first', () => {
  const attributes = {
    Legal_Name: 'Ada Okafor',
    'wd:Location': { Descriptor: 'Denver' },
    Worker_Status: 'Active',
    Empty: '',
    Employee_ID: '21001',
    Business_Title: 'Nurse',
  }
  const names = columnsOf([worker(), worker({ attributes })], 4)
  assert.deepEqual(names, ['Employee_ID', 'Business_Title', 'Worker_Status', 'wd:Location'])
})
