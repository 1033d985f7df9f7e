import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { startLab } from '../scim-lab.ts'
import { addApplication } from '../sso/world.ts'
import { startChromium } from './chromium.ts'
import { signInToConsole } from './console-steps.ts'
import { field, press } from './steps.ts'

// The settings of provisioning and of an import source in the console.

const app = await startListening()
const openBrowser = await startChromium(app.base)

test('connections: how fast, which groups, which pages, and what needs an administrator', async () => {
  const org = await app.newOrganization()
  const { id } = await addApplication(org, {}, { displayLabel: 'Tickets' })
  const lab = await startLab()
  app.secrets.add(lab.token)
  const group = (await org.post('/api/v2/usergroups', { name: 'Engineering' })).json()
  const root = `/api/v2/applications/${id}`
  const limitsOf = async () => (await org.get(`${root}/provisioning`)).json().limits
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 1000 } })
  const address = `/console/${org.organizationId}/applications/${id}`
  await page.goto(`${address}/provisioning`)
  await signInToConsole(page, org.email, org.password)
  await page.getByLabel('Base URL').fill(lab.url)
  await page.getByLabel('Token').first().fill(lab.token)
  await press(page, 'Advanced')
  await field(page, 'Requests per second').fill('0.5')
  await field(page, 'Requests at the same time').fill('2')
  await field(page, 'Removals at once without asking, in %').fill('7.5')
  await field(page, 'Compare with the provider every so many hours').fill('24')
  await page.getByRole('combobox', { name: 'Differences' }).click()
  await page.getByRole('option', { name: 'Repair them' }).click()
  await page.getByLabel('Push bound groups too').check()
  await page.getByLabel('Only some of them').check()
  await page.getByRole('combobox', { name: 'Choose a group' }).fill('eng')
  await page.getByRole('option', { name: /Engineering/ }).click()
  await page.getByRole('button', { name: 'Remove Engineering' }).waitFor()
  await press(page, 'Connect')
  await page.getByText('Saved the connection').waitFor()
  assert.deepEqual(await limitsOf(), { concurrency: 2, perSecond: 0.5 })
  const stored = (await org.get(`${root}/provisioning`)).json()
  assert.equal(stored.removalLimit.percent, 7.5)
  assert.deepEqual(stored.reconcile, { everyHours: 24, mode: 'repair' })
  assert.deepEqual(stored.groups, { push: true, only: [group.id] })
  await page.goto(`${address}/provisioning?view=connection`)
  await press(page, 'Advanced')
  assert.equal(await field(page, 'Requests per second').inputValue(), '0.5')
  await field(page, 'Requests per second').fill('')
  await field(page, 'Requests at the same time').fill('')
  await press(page, 'Save connection')
  await page.getByText('Saved the connection').waitFor()
  assert.deepEqual(await limitsOf(), { concurrency: 8, perSecond: null })

  const sourceOf = async () => (await org.get(`${root}/import/config`)).json().source
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await page.goto(`${address}/import`)
  await press(page, 'Advanced')
  await choose('Columns are separated by', 'Semicolon')
  await choose('Encoding', 'windows-1252')
  await press(page, 'Save source')
  await page.getByText('Saved the source').waitFor()
  const { delimiter, charset } = await sourceOf()
  assert.deepEqual([delimiter, charset], [';', 'windows-1252'])
  await page.goto(`${address}/import?view=source`)
  await press(page, 'Advanced')
  const separator = page.getByRole('combobox', { name: 'Columns are separated by' })
  assert.equal(await separator.inputValue(), 'Semicolon')
  await choose('Columns are separated by', 'As the header row has it')
  await press(page, 'Save source')
  await page.waitForURL(/view=mapping/)
  assert.equal((await sourceOf()).delimiter, null)

  await page.goto(`${address}/import?view=source`)
  await page.getByText('REST API').click()
  await page.getByLabel('Base URL').fill('http://127.0.0.1:9/people')
  await page.getByLabel('Token').first().fill(lab.token)
  await choose('Format', 'CSV')
  await press(page, 'Advanced')
  await choose('Columns are separated by', 'Tab')
  await field(page, 'Requests per second').fill('2.5')
  await press(page, 'Save source')
  await page.waitForURL(/view=mapping/)
  const rest = await sourceOf()
  assert.deepEqual([rest.format, rest.delimiter, rest.limits], ['csv', '\t', { perSecond: 2.5 }])

  await page.goto(`${address}/import?view=source`)
  await choose('Format', 'JSON')
  await choose('Pages', 'Numbered pages')
  await field(page, 'Parameter of the page').fill('p')
  await field(page, 'Path of the total in the response').fill('meta.total')
  await field(page, 'Records of a page').fill('50')
  await choose('Number of the first page', '0')
  await page.getByLabel('Ask for the size of a page').uncheck()
  await press(page, 'Add parameter')
  await field(page, 'Parameter of parameter 1').fill('active')
  await field(page, 'Value of parameter 1').fill('true')
  await field(page, 'Schedule').fill('0 3 * * *')
  await choose('Scheduled runs', 'Only update users')
  await choose('People who are no longer there', 'Suspend')
  await field(page, 'After so many reads without them').fill('5')
  await field(page, 'Suspensions without asking, in %').fill('')
  await field(page, 'Changes without asking').fill('40')
  await press(page, 'Save source')
  await page.waitForURL(/view=mapping/)
  const config = (await org.get(`${root}/import/config`)).json()
  assert.deepEqual(config.source.paging, {
    type: 'page',
    pageParam: 'p',
    sizeParam: null,
    firstPage: 0,
    pageSize: 50,
    totalPath: 'meta.total',
  })
  assert.deepEqual(config.source.query, { active: 'true' })
  assert.deepEqual([config.schedule, config.operations], ['0 3 * * *', ['users.update']])
  assert.deepEqual(config.missing, { action: 'suspend', after: 5 })
  assert.deepEqual(config.limits, {
    suspensions: { users: 100, percent: null },
    changes: { users: 40, percent: 50 },
  })
  const paged = await sourceOf()
  // What was read is saved again as it is.
  await page.goto(`${address}/import?view=source`)
  await page.getByLabel('Mail new users a link to their first password').uncheck()
  await press(page, 'Save source')
  await page.waitForURL(/view=mapping/)
  assert.deepEqual(await sourceOf(), paged)
  assert.deepEqual(problems, [])
})
