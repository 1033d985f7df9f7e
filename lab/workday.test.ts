import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWorkdayLab } from './workday.ts'

const lab = await startWorkdayLab()
after(lab.close)
const { reportUrl, username, password, entries } = lab

const read = (url: string, credentials = `${username}:${password}`) =>
  fetch(url, { headers: { authorization: `Basic ${btoa(credentials)}` } })

test('the report lists all workers at once, as JSON when asked', async () => {
  const answer = await read(reportUrl)
  assert.equal(answer.status, 200)
  assert.deepEqual(await answer.json(), { Report_Entry: entries })
  assert.equal(entries.length, 200)
  for (const member of ['Employee_ID', 'User_Name'])
    assert.equal(new Set(entries.map((entry) => entry[member])).size, 200)
  assert.ok(entries.some(({ Worker_Status }) => Worker_Status === 'Terminated'))
  const xml = await read(reportUrl.replace('json', 'simplexml'))
  assert.match(await xml.text(), /^<\?xml/)
})

test('it refuses wrong credentials, and knows one report', async () => {
  assert.equal((await fetch(reportUrl)).status, 401)
  assert.equal((await read(reportUrl, `${username}:wrong`)).status, 401)
  assert.equal((await read(new URL('/other?format=json', reportUrl).href)).status, 404)
})

test('a taken port is named', async () => {
  const port = Number(new URL(reportUrl).port)
  await assert.rejects(startWorkdayLab({ port }), /Port \d+ is in use; choose another with --port/)
})
