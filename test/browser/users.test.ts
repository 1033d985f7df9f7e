import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD, Person } from '../person.ts'
import { startChromium } from './chromium.ts'
import { signInToConsole } from './console-steps.ts'
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
  const row = page.getByRole('row', { name: /Berg/ })
  const height = async () => (await row.boundingBox())?.height
  const comfortable = (await height())!
  await press(page, 'Columns')
  await page.getByText('Compact').click()
  await page.keyboard.press('Escape')
  await page.reload()
  await row.waitFor()
  assert.ok((await height())! < comfortable, 'the browser remembers how close the rows are')
  const tray = page.getByRole('region', { name: 'Work in progress' })
  const selectAll = () => page.getByLabel('Select the first 3').check()

  // One of them is a member already.
  const [first] = people
  const body = { op: 'add', type: 'user', id: first!.id }
  await org.post(`/api/v2/usergroups/${group.id}/members`, body)
  await selectAll()
  await press(page, 'Add to group')
  await page.getByRole('combobox', { name: 'Group' }).fill('eng')
  await page.getByRole('option', { name: /Engineering/ }).click()
  const joined = tray.getByRole('listitem').filter({ hasText: 'Add 3 users to Engineering' })
  await joined.getByText('Done').waitFor()
  const members = await org.get(`/api/v2/usergroups/${group.id}/members`)
  assert.equal(members.json().length, 3)

  await selectAll()
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')])
  const file = readFileSync(await download.path(), 'utf8')
  assert.equal(file.trim().split('\r\n').length, 4)
  assert.match(file, /,Berg,/)

  for (const { id } of people) await org.put(`/api/systemusers/${id}`, { account_locked: true })
  await selectAll()
  await press(page, 'Unlock')
  const unlocked = tray.getByRole('listitem').filter({ hasText: 'Unlock 3 users' })
  await unlocked.waitFor()
  await app.runDueJobs()
  await unlocked.getByText('Done').waitFor()
  const locked = (await org.get('/api/systemusers?filter=account_locked:$eq:true')).json()
  assert.equal(locked.totalCount, 0)

  await selectAll()
  await press(page, 'Mail a link')
  const mailed = tray.getByRole('listitem').filter({ hasText: 'Mail 3 users a link' })
  await mailed.getByText('Done').waitFor()

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
  // What ended well has made room.
  assert.equal(await joined.count(), 0)
  // The tray does not cover what can be done with a selection.
  await page.getByRole('checkbox', { name: 'Select the first' }).check()
  const bar = (await page.getByRole('region', { name: 'Selection' }).boundingBox())!
  const above = (await tray.boundingBox())!
  assert.ok(above.y + above.height <= bar.y)
  await press(page, 'Clear')
  assert.ok((await tray.boundingBox())!.y > above.y)
  await suspended.getByRole('button', { name: /^Dismiss/ }).click()
  await tray.waitFor({ state: 'detached' })
  await page.getByText('Suspended').first().waitFor()
  assert.deepEqual(problems, [])
})

test('all users that match are selected, not only the first page; what cannot be undone is asked first', async () => {
  const org = await app.newOrganization()
  await org.post(
    '/api/v2/bulk/users',
    Array.from({ length: 130 }, (_, at) => ({
      username: `person${at}`,
      email: `person${at}@example.com`,
      lastname: at < 120 ? 'Many' : 'Few',
    })),
  )
  await app.runDueJobs()
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/users?lastname=Many`)
  await signInToConsole(page, org.email, org.password)
  await page.getByLabel('Select the first 100').check()
  await press(page, 'Select all 120 users')
  await page.getByText('120 selected').waitFor()
  const asked = page.getByRole('dialog')
  await press(page, 'Suspend')
  await asked.getByText('Suspend: 120 users?').waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await press(page, 'Expire password')
  await asked.getByText('They have to choose a new password', { exact: false }).waitFor()
  await asked.getByRole('button', { name: 'Expire password' }).click()
  const work = page.getByRole('listitem').filter({ hasText: 'Expire the passwords of 120 users' })
  await work.waitFor()
  await app.runDueJobs()
  await work.getByText('Done').waitFor()
  const expired = (await org.get('/api/systemusers?filter=password_expired:$eq:true')).json()
  assert.equal(expired.totalCount, 120)
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
  await press(page, 'Delete Laptop')
  await press(page, 'Undo')
  await page.getByRole('button', { name: 'Delete Laptop' }).waitFor()
  const pages = page.getByRole('navigation', { name: /^Pages of/ })
  await new Person(app.http).enter(ada.username)
  await pages.getByRole('link', { name: 'Sessions' }).click()
  await page
    .getByRole('table', { name: 'Sessions' })
    .getByRole('button', { name: /^Sign out/ })
    .click()
  await page.getByText('Not signed in anywhere.').waitFor()
  await pages.getByRole('link', { name: 'Accounts' }).click()
  await page.getByText('No application of the user', { exact: false }).waitFor()
  await pages.getByRole('link', { name: 'History' }).click()
  await page.getByRole('link', { name: 'Search these events' }).click()
  await heading(page, 'Insights').waitFor()
  await page.getByRole('region', { name: 'Events', exact: true }).getByText('User create').waitFor()
  assert.deepEqual(problems, [])
})

test('people from a CSV file: who is new and who changes is shown first, and it can be undone', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Adams' })
  const content = [
    'First name,Last name,Email,Username,Team',
    `Ada,Adams,${ada.email},${ada.username},Engineering`,
    'Noor,Haddad,noor.haddad@example.com,noor.haddad,Sales',
  ].join('\n')
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/users`)
  await field(page, 'E-mail').fill(org.email)
  await field(page, 'Password').fill(org.password)
  await press(page, 'Sign in')
  await press(page, 'Import CSV')
  await heading(page, 'File import').waitFor()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
  await press(page, 'Save source')
  await page.getByText('No rule reads Team.').waitFor()
  await press(page, 'Add rule')
  await page.getByRole('textbox', { name: 'Field of the user 5' }).fill('department')
  await page.getByRole('combobox', { name: 'From the record: department' }).click()
  await page.getByRole('option', { name: 'Team' }).click()
  await press(page, 'Preview records')
  const records = page.getByRole('table', { name: 'Records' })
  await records.getByRole('row', { name: /Ada Adams Update/ }).waitFor()
  await records.getByRole('row', { name: /Noor Haddad Create/ }).waitFor()
  await press(page, 'Continue to import')
  await page.getByRole('combobox', { name: 'State of new users' }).click()
  await page.getByRole('option', { name: /^Staged/ }).click()
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor()
  await app.runDueJobs()
  await page.getByText('1 create').waitFor()
  await page.getByText('1 update').waitFor()
  const people = async () =>
    (await org.get('/api/systemusers?sort=lastname')).json().results as Record<string, string>[]
  assert.equal((await people()).length, 1)
  // With the options of the plan.
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'Import', exact: true }).waitFor()
  await app.runDueJobs()
  await page.getByText('2 done, 0 failed').waitFor()
  assert.deepEqual(
    (await people()).map(({ lastname, department, state }) => [lastname, department, state]),
    [
      ['Adams', 'Engineering', 'ACTIVATED'],
      ['Haddad', 'Sales', 'STAGED'],
    ],
  )

  // The same application again, and its work is among the jobs.
  await page.goto(`/console/${org.organizationId}/users`)
  await press(page, 'Import CSV')
  await page.getByText('staff.csv').waitFor()
  await page.goto(`/console/${org.organizationId}/settings/jobs`)
  const jobs = page.getByRole('table', { name: 'Jobs' })
  await jobs.getByRole('link', { name: 'Import of people' }).first().waitFor()
  await jobs.getByRole('link', { name: 'Import of people' }).first().click()
  await press(page, 'Undo import')
  await page.getByRole('heading', { name: 'Undo', exact: true }).waitFor()
  await app.runDueJobs()
  await page.getByText('2 done, 0 failed').waitFor()
  assert.deepEqual(
    (await people()).map(({ lastname }) => lastname),
    ['Adams'],
  )
  assert.deepEqual(problems, [])
})

test('mails that a bulk job holds are sent from the list of jobs', async () => {
  const org = await app.newOrganization()
  const person = { username: 'ada', email: 'ada@example.com', state: 'ACTIVATED' }
  await org.post('/api/v2/bulk/users?holdEmails=true', [person])
  await app.runDueJobs()
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/settings/jobs`)
  await signInToConsole(page, org.email, org.password)
  await page.getByText('1 row, 1 mail held').waitFor()
  await press(page, 'Send mails')
  await page.getByText('Sending 1 mail').waitFor()
  await page.getByText('1 row', { exact: true }).waitFor()
  assert.deepEqual(problems, [])
})
