import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { assertAccessible } from './axe.ts'
import { startChromium } from './chromium.ts'
import { field, heading, press } from './steps.ts'

// Work on users in a real browser.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

test('work on many users goes to the tray, which lists failures and survives a reload', async () => {
  const org = await app.newOrganization()
  const people = []
  for (const lastname of ['Adams', 'Berg', 'Chen'])
    people.push(await addPerson(org, { firstname: 'Ada', lastname }))
  const group = (await org.post('/api/v2/usergroups', { name: 'Engineering' })).json()
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/users`)
  await field(page, 'E-mail').fill(org.email)
  await field(page, 'Password').fill(org.password)
  await press(page, 'Sign in')
  await heading(page, 'Users').waitFor()
  const tray = page.getByRole('region', { name: 'Work in progress' })
  const selectAll = () => page.getByLabel('Select the first 3').check()

  await selectAll()
  await press(page, 'Add to group')
  await page.getByRole('combobox', { name: 'Group' }).fill('eng')
  await page.getByRole('option', { name: /Engineering/ }).click()
  const joined = tray.getByRole('listitem').filter({ hasText: 'Add 3 users to Engineering' })
  await joined.getByText('Done').waitFor()
  const members = await org.get(`/api/v2/usergroups/${group.id}/members`)
  assert.equal(members.json().length, 3)
  await assertAccessible(page, 'tray')

  await selectAll()
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')])
  const file = readFileSync(await download.path(), 'utf8')
  assert.equal(file.trim().split('\r\n').length, 4)
  assert.match(file, /,Berg,/)

  await selectAll()
  await org.delete(`/api/systemusers/${people[1]!.id}`)
  await press(page, 'Suspend')
  const suspended = tray.getByRole('listitem').filter({ hasText: 'Suspend 3 users' })
  // In the tray once the server has the job.
  await suspended.waitFor()
  await app.runDueJobs()
  await suspended.getByText('1 of 3 failed').waitFor()
  await page.reload()
  await suspended.getByRole('button', { name: 'Show failures' }).click()
  await suspended.getByRole('link', { name: people[1]!.id }).waitFor()
  await joined.getByText('Done').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await assertAccessible(page, 'failures, dark')
  await joined.getByRole('button', { name: /^Dismiss/ }).click()
  await joined.waitFor({ state: 'detached' })
  await page.getByText('Suspended').first().waitFor()
  assert.deepEqual(problems, [])
})

test('a key of a user, their accounts, and the search behind their history', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Adams' })
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/users/${ada.id}/keys`)
  await field(page, 'E-mail').fill(org.email)
  await field(page, 'Password').fill(org.password)
  await press(page, 'Sign in')
  await page.getByText('No key.', { exact: false }).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await page
    .getByRole('textbox', { name: 'Public key' })
    .fill('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLE ada')
  await press(page, 'Add key')
  await page.getByRole('button', { name: 'Delete Laptop' }).waitFor()
  await assertAccessible(page, 'keys')
  await press(page, 'Delete Laptop')
  await press(page, 'Undo')
  await page.getByRole('button', { name: 'Delete Laptop' }).waitFor()
  const pages = page.getByRole('navigation', { name: /^Pages of/ })
  await pages.getByRole('link', { name: 'Accounts' }).click()
  await page.getByText('No application of the user', { exact: false }).waitFor()
  await assertAccessible(page, 'accounts')
  await pages.getByRole('link', { name: 'History' }).click()
  await page.getByRole('link', { name: 'Search these events' }).click()
  await heading(page, 'Insights').waitFor()
  await page.getByRole('region', { name: 'Events', exact: true }).getByText('User create').waitFor()
  assert.deepEqual(problems, [])
})
