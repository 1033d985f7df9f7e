import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startWorkdayLab } from '../../lab/workday.ts'
import { startListening } from '../listening.ts'
import { startChromium } from './chromium.ts'
import { sidebar, signInToConsole } from './console-steps.ts'
import { field, heading, press } from './steps.ts'

// Users from a report of Workday, in the console.

const app = await startListening()
const openBrowser = await startChromium(app.base)
const lab = await startWorkdayLab({ workers: 120 })
after(lab.close)
const { reportUrl, username, password } = lab
app.secrets.add(password)
const VIEWPORT = { viewport: { width: 1280, height: 900 } }

type Org = Awaited<ReturnType<typeof app.newOrganization>>

const connect = async (org: Org) => {
  const auth = { basic: { username, password } }
  const res = await org.post('/api/v2/workdays', { name: 'Workday Import', reportUrl, auth })
  assert.equal(res.statusCode, 201, res.body)
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const results = (page: Page) => page.getByRole('table', { name: 'Results' })
const tray = (page: Page) => page.getByRole('region', { name: 'Work in progress' })

test('connect a report, correct the password, import two workers, and see why they fail again', async () => {
  const org = await app.newOrganization()
  const { page, problems } = await openBrowser(VIEWPORT)
  const address = `/console/${org.organizationId}/settings/workday`
  await page.goto(address)
  await signInToConsole(page, org.email, org.password)
  await page.getByText('come from a report of Workday').waitFor()
  await field(page, 'Address of the report').fill(reportUrl.replace('format=json', 'format=csv'))
  await field(page, 'User name').fill(`${username}:x`)
  await field(page, 'Password').fill('wrong')
  await press(page, 'Connect Workday')
  await page.getByText('A user name cannot have a colon').waitFor()
  await field(page, 'User name').fill(username)
  await press(page, 'Connect Workday')
  await page.getByText('the report must be read as JSON').waitFor()
  await field(page, 'Address of the report').fill(reportUrl)
  await press(page, 'Connect Workday')
  const report = region(page, 'Report')
  await report.getByText('Cannot be read', { exact: true }).waitFor()
  await report.getByText('refused the user name or password (status 401)').waitFor()
  await report.getByText('Never').waitFor()

  await press(page, 'Change credentials')
  const dialog = page.getByRole('dialog', { name: 'Change credentials' })
  await dialog.getByLabel('User name').fill(username)
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password)
  await dialog.getByRole('button', { name: 'Save credentials' }).click()
  await report.getByText('Can be read', { exact: true }).waitFor()
  const workers = page.getByRole('table', { name: 'Workers' })
  const ada = workers.getByRole('row', { name: /Ada Okafor/ })
  for (const text of ['ada.okafor@lab.example.com', '21001', 'Accountant', 'CC100 Finance'])
    await ada.getByText(text, { exact: true }).waitFor()
  await workers.getByRole('columnheader', { name: 'Employee ID' }).waitFor()
  await region(page, 'Workers').getByText('120 workers in the report').waitFor()

  const importTwo = async () => {
    await workers.getByLabel('Select Ada Okafor').check()
    await workers.getByLabel('Select Beau Okafor').check()
    await press(page, /^Import 2 workers/)
    await page.waitForURL(/job=/)
    await results(page).waitFor()
    assert.equal(await results(page).getByText('Waiting').count(), 2)
    await app.runDueJobs()
  }
  await page.getByRole('combobox', { name: 'State of new users' }).click()
  await page.getByRole('option', { name: /^Staged/ }).click()
  await importTwo()
  await page.getByText('2 created, 0 failed').waitFor()
  const work = tray(page).getByRole('listitem').filter({ hasText: 'Import 2 workers' })
  await work.getByText('Done').waitFor()
  await results(page).getByRole('link', { name: 'Ada Okafor' }).click()
  await heading(page, 'Ada Okafor').waitFor()
  await page.getByText('Staged', { exact: true }).first().waitFor()
  await sidebar(page).getByRole('link', { name: 'Users' }).click()
  for (const name of ['Ada Okafor', 'Beau Okafor'])
    await page.getByRole('link', { name, exact: true }).waitFor()
  const { results: users } = (await org.get('/api/systemusers?sort=username')).json()
  const [first] = users
  assert.deepEqual(
    [first.username, first.state, first.creationSource],
    ['ada.okafor', 'STAGED', 'gatehouse:workday'],
  )
  const attribute = (name: string) =>
    first.attributes.find((each: { name: string }) => each.name === name)?.value
  assert.deepEqual([attribute('Employee_ID'), attribute('Location')], ['21001', 'Denver'])

  // The tray leads back to what became of each.
  await work.getByRole('link').first().click()
  await page.getByText('2 created, 0 failed').waitFor()
  await page.getByRole('link', { name: 'Workday' }).last().click()
  await report.getByText('Never').waitFor({ state: 'detached' })
  await importTwo()
  await page.getByText('0 created, 2 failed').waitFor()
  for (const name of ['Ada Okafor', 'Beau Okafor']) {
    const row = results(page).getByRole('row', { name })
    await row.getByText('Failed', { exact: true }).waitFor()
    await row.getByText('another user of the organization already has this username').waitFor()
  }
  const failed = tray(page).getByRole('listitem').filter({ hasText: '2 of 2 failed' })
  await failed.getByRole('button', { name: 'Show failures' }).click()
  await failed.getByRole('listitem').filter({ hasText: 'ada.okafor' }).waitFor()
  await page.reload()
  await page.getByText('0 created, 2 failed').waitFor()
  await page.getByRole('link', { name: 'Search its events' }).click()
  await heading(page, 'Insights').waitFor()
  await region(page, 'Events').getByText('Workday update').first().waitFor()
  assert.deepEqual(problems, [])
})

test('all workers, page by page; those without an e-mail are left out', async () => {
  const org = await app.newOrganization()
  await connect(org)
  const { page, problems } = await openBrowser(VIEWPORT)
  await page.goto(`/console/${org.organizationId}/settings/workday`)
  await signInToConsole(page, org.email, org.password)
  const workers = page.getByRole('table', { name: 'Workers' })
  await workers.getByRole('row', { name: /Ines Okafor.*No e-mail.*Terminated/ }).waitFor()
  assert.equal(await workers.getByLabel('Select Ines Okafor').count(), 0)
  await workers.getByLabel('Select all on this page').check()
  // Every ninth of fifty has left.
  await page.getByRole('button', { name: 'Import 45 workers' }).waitFor()
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByText('51–100 of 120').waitFor()
  await workers.getByLabel('Select all on this page').check()
  await page.getByRole('button', { name: 'Import 89 workers' }).waitFor()
  await workers.getByLabel('Select all on this page').uncheck()
  await page.getByRole('button', { name: 'Import 45 workers' }).waitFor()
  await press(page, 'Import all')
  const dialog = page.getByRole('dialog', { name: 'Import all 120 workers?' })
  await dialog.getByRole('button', { name: 'Import all' }).click()
  await page.getByText('left out 13 without a valid username or e-mail').waitFor()
  await page.getByText('107 waiting').waitFor()
  await app.runDueJobs()
  await page.getByText('107 created, 0 failed').waitFor()
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByText('101–107 of 107').waitFor()
  await page.getByText('Failed', { exact: true }).click()
  await page.waitForURL(/only=failed/)
  await page.getByText('None failed.').waitFor()
  assert.equal((await org.get('/api/systemusers?limit=1')).json().totalCount, 107)
  assert.deepEqual(problems, [])
})

test('change the address, remove the credentials, disconnect', async () => {
  const org = await app.newOrganization()
  await connect(org)
  const { page, problems } = await openBrowser(VIEWPORT)
  await page.goto(`/console/${org.organizationId}/settings/workday`)
  await signInToConsole(page, org.email, org.password)
  const report = region(page, 'Report')
  const url = field(page, 'Address of the report')
  await url.fill(reportUrl.replace('Workers', 'Nobody'))
  await press(page, 'Save address')
  await report.getByText('responded with status 404').waitFor()
  await region(page, 'Workers').waitFor({ state: 'detached' })
  await url.fill('http://10.0.0.1/report')
  await press(page, 'Save address')
  await page.getByText('not a public address').waitFor()
  await press(page, 'Discard changes')
  await url.fill(reportUrl)
  await press(page, 'Save address')
  await report.getByText('Can be read', { exact: true }).waitFor()
  await press(page, 'Remove credentials')
  const sure = page.getByRole('dialog', { name: 'Remove the credentials?' })
  await sure.getByRole('button', { name: 'Remove credentials' }).click()
  await report.getByText('No credentials', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add credentials' }).waitFor()
  await press(page, 'Disconnect Workday')
  const dialog = page.getByRole('dialog', { name: 'Disconnect Workday?' })
  await dialog.getByRole('button', { name: 'Disconnect Workday' }).click()
  await page.getByRole('button', { name: 'Connect Workday', exact: true }).waitFor()
  assert.deepEqual((await org.get('/api/v2/workdays')).json(), [])
  assert.deepEqual(problems, [])
})

test('one who may only read sees the workers, and no button', async () => {
  const org = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const { page, problems, settled } = await openBrowser(VIEWPORT)
  const main = page.locator('main')
  await page.goto(`/console/${org.organizationId}/settings/workday`)
  await signInToConsole(page, reader.email, reader.password)
  await page.getByText('No Workday is connected.').waitFor()
  assert.equal(await main.getByRole('button').count(), 0)
  await connect(org)
  await page.reload()
  await main.getByRole('row', { name: /Ada Okafor/ }).waitFor()
  await settled()
  await main.getByText(reportUrl).waitFor()
  assert.equal(await main.getByRole('button').count(), 0)
  assert.equal(await main.getByRole('checkbox').count(), 0)
  assert.deepEqual(problems, [])
})
