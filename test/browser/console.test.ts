import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/platform/db/sql.ts'
import { newId } from '../../server/platform/ids.ts'
import { enrol, newKeyPair } from '../enrol.ts'
import { startListening } from '../listening.ts'
import { addPerson, bindApplication, codesOf, PASSWORD } from '../person.ts'
import { addApplication } from '../sso/world.ts'
import { startChromium } from './chromium.ts'
import { sidebar, signInToConsole, tab } from './console-steps.ts'
import { linkTo } from './mailbox.ts'
import { choosePassword, field, heading, press } from './steps.ts'

// The console in a real browser: what an administrator does, end to end.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

test('find a user, rename and suspend them, and see both in their history', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await addPerson(org, { firstname: 'Noor', lastname: 'Haddad' })
  const { page, problems } = await openBrowser()
  // An address from before the sign-in is shown after it.
  await page.goto(`/console/${org.organizationId}/users?sort=-lastname`)
  await signInToConsole(page, org.email, 'Wrong-Orchard-58')
  await page.getByRole('alert').waitFor()
  await signInToConsole(page, org.email, org.password)
  await heading(page, 'Users').waitFor()
  await page.getByText('2 users').waitFor()
  assert.deepEqual(await page.locator('tbody a').allTextContents(), ['NHNoor Haddad', 'ABAda Berg'])

  await page.keyboard.press('/')
  await page.keyboard.type('ada')
  await page.getByText('1 user', { exact: false }).waitFor()
  await page.waitForURL(/q=ada/)
  await page.getByRole('link', { name: 'Ada Berg' }).click()
  await heading(page, 'Ada Berg').waitFor()
  await field(page, 'Last name').fill('Lovelace')
  await press(page, 'Save profile')
  await heading(page, 'Ada Lovelace').waitFor()
  await page.getByText('Saved the profile').waitFor()
  await press(page, 'Suspend user')
  await page.getByRole('button', { name: 'Activate user' }).waitFor()
  await page.getByText('Suspended Ada Lovelace').waitFor()
  await press(page, 'Undo')
  await press(page, 'Suspend user')
  await page.getByRole('button', { name: 'Activate user' }).waitFor()

  await tab(page, 'History').click()
  const events = page.getByRole('list', { name: 'Events' })
  await events.getByText('User suspended').first().waitFor()
  // The newest is first.
  await events.getByRole('button', { name: '1 change' }).last().click()
  await events.getByRole('cell', { name: 'Lovelace' }).waitFor()
  await page.reload()
  await events.getByText('User suspended').first().waitFor()
  assert.deepEqual(problems, [])
})

test('a list is read again when the service was busy, and says when it is old', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await addPerson(org, { firstname: 'Noor', lastname: 'Haddad' })
  const { page } = await openBrowser()
  // As a load balancer answers while no process is ready.
  let unavailable = false
  let refused = 0
  await page.route('**/api/systemusers?*', (route) => {
    if (!unavailable) return route.continue()
    refused++
    return route.fulfill({ status: 503, json: { message: 'No server is ready' } })
  })
  await page.goto(`/console/${org.organizationId}/users`)
  await signInToConsole(page, org.email, org.password)
  await page.getByText('2 users').waitFor()
  unavailable = true
  const refusal = page.waitForResponse((response) => response.status() === 503)
  await field(page, 'Search users').fill('berg')
  await refusal
  unavailable = false
  await page.getByText('1 user').waitFor()
  assert.equal(refused, 1)
  unavailable = true
  await press(page, 'Username')
  await page.getByText('No server is ready').waitFor()
})

test('nothing of an organization is left after a switch to another', async () => {
  const provider = await app.newProvider()
  const [one, two] = provider.organizationIds
  const as = (id: string) => ({
    post: (url: string, body?: object) => provider.post(url, body, { 'x-org-id': id }),
  })
  await addPerson(as(one!), { firstname: 'Only', lastname: 'Inone' })
  await addPerson(as(two!), { firstname: 'Only', lastname: 'Intwo' })
  const { page, problems } = await openBrowser()
  const answers: { url: string; body: Promise<string> }[] = []
  await page.goto(`/console/${one}/users`)
  await signInToConsole(page, provider.email, provider.password)
  await page.getByRole('link', { name: 'Only Inone' }).waitFor()
  await sidebar(page)
    .getByRole('button', { name: /switch/ })
    .click()
  const other = page.getByRole('option', { name: `Organization ${two}` })
  await other.waitFor()
  await page.keyboard.type(two!)
  await page.locator('[role=option][data-combobox-selected]').waitFor()
  page.on('response', (response) => {
    if (response.url().includes('/api/'))
      answers.push({ url: response.url(), body: response.text().catch(() => '') })
  })
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/console/${two}`))
  await sidebar(page).getByRole('link', { name: 'Users' }).click()
  await page.getByRole('link', { name: 'Only Intwo' }).waitFor()
  assert.doesNotMatch(await page.content(), /Inone/)
  for (const { url, body } of answers) assert.doesNotMatch(await body, /Inone/, url)
  assert.deepEqual(problems, [])
})

test('filters of users; an address of another organization leads back', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg', sudo: true })
  await addPerson(org, { firstname: 'Kim', lastname: 'Lund' })
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/users`)
  await signInToConsole(page, org.email, org.password)
  const filter = page.getByRole('button', { name: 'Filter', exact: true })
  await filter.click()
  await page.getByRole('menuitem', { name: 'Administrator on devices' }).hover()
  await page.getByRole('menuitem', { name: 'Yes', exact: true }).click()
  await page.getByText('Administrator on devices: Yes').waitFor()
  await page.getByText('1 user', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor()
  await filter.click()
  await page.getByRole('menuitem', { name: 'Created before' }).hover()
  await page.getByRole('menuitem', { name: '7 days ago' }).click()
  await page.getByText('0 users').waitFor()
  assert.deepEqual(problems, [])

  await page.goto(`/console/${other.organizationId}/users`)
  await heading(page, 'No such organization').waitFor()
  await page.getByRole('link', { name: 'Go to your organization' }).click()
  await page.getByText('Needs attention').waitFor()
  assert.ok(page.url().endsWith(`/console/${org.organizationId}`))
})

test('a group by keyboard and palette; a deletion taken back; the calls behind the page', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await bindApplication(org, ada.id, { displayLabel: 'Company wiki' })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto('/console')
  await signInToConsole(page, org.email, org.password)
  await page.getByText('Needs attention').waitFor()

  await sidebar(page).getByRole('link', { name: 'Groups' }).click()
  await page.getByText('No groups yet').waitFor()
  await page.getByRole('button', { name: 'Add group' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add group' })
  await dialog.getByLabel('Name').fill('Engineering')
  await dialog.getByRole('button', { name: 'Add group' }).click()
  await heading(page, 'Engineering').waitFor()
  await page.getByRole('combobox', { name: 'Add a user' }).fill('ada')
  await page.getByRole('option', { name: /Ada Berg/ }).click()
  await page.getByRole('link', { name: 'Ada Berg' }).waitFor()

  await page.keyboard.press('Control+k')
  const palette = page.getByLabel('Search or jump to', { exact: true })
  await palette.fill('nobody at all')
  await page.getByText('Nothing has this name.').waitFor()
  await palette.fill('ada')
  // The page behind has a button to remove her.
  const found = page.getByRole('dialog', { name: 'Command palette' })
  await found.getByRole('button', { name: /Ada Berg/ }).waitFor()
  await palette.press('Enter')
  await heading(page, 'Ada Berg').waitFor()
  await tab(page, 'Access').click()
  await page.getByText('Company wiki').waitFor()
  await press(page, 'Why Company wiki?')
  await page.getByText(/^since/).waitFor()
  await page.keyboard.press('Escape')
  await tab(page, 'History').click()
  await page.getByText('Added application company wiki').waitFor()
  await press(page, 'More actions')
  await page.getByRole('menuitem', { name: 'Delete user' }).click()
  await page.getByText('No users yet').waitFor()
  await press(page, 'Undo')
  await page.getByText('1 user').waitFor()

  await page.keyboard.press('Shift+?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await press(page, /Account of/)
  await press(page, 'See it as API calls')
  const calls = page.getByRole('dialog', { name: 'This page as API calls' })
  await calls.getByText('GET /api/systemusers', { exact: false }).first().waitFor()
  await page.keyboard.press('Escape')
  await calls.waitFor({ state: 'detached' })
  assert.equal(await page.getByText('Sign out').count(), 0, 'the menu has closed')
  await page
    .getByRole('button', { name: /Account of/ })
    .and(page.locator(':focus'))
    .waitFor()
  assert.deepEqual(problems, [])
})

test('numbers on Home lead to the lists behind them', async () => {
  const org = await app.newOrganization()
  const { organizationId } = org
  const add = async (displayLabel: string) => (await addApplication(org, {}, { displayLabel })).id
  const [wiki, payroll, shop] = [await add('Wiki'), await add('Payroll'), await add('Shop')]
  for (const hostname of ['web-1', 'web-2'])
    await enrol(app.http, org, newKeyPair().publicKey, { hostname })
  const tenant = app.db.tenant(organizationId)
  for (const [id, status] of [
    [wiki, 'active'],
    [payroll, 'stopped'],
  ])
    await tenant.run(sql`
      insert into provisioning_connections
             (organization_id, application_id, idm_client_id, status, settings, secret)
      values (${organizationId}, ${id}, ${newId()}, ${status}, '{}', '')`)
  await tenant.run(sql`
    update application_certificates set not_after = now() - interval '1 day' where application_id = ${shop}`)
  await tenant.run(sql`
    update systems set last_contact = now() - interval '15 days' where hostname = 'web-2'`)
  for (const name of ['Archive', 'SIEM'])
    await org.post('/insights/directory/v1/forwarders', {
      name,
      // Never called: it is not enabled.
      url: 'https://9.9.9.9/events',
      enabled: false,
    })
  await tenant.run(sql`update forwarders set status = 'failed' where name = 'SIEM'`)
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${organizationId}`)
  await signInToConsole(page, org.email, org.password)
  for (const [card, filter, row] of [
    ['Applications with failing provisioning', 'Provisioning: Failing', 'Payroll'],
    ['Certificates that end within 30 days', 'Certificate: Ends within 30 days', 'Shop'],
    ['Devices not seen for 14 days', 'Not seen for: 14 days', 'web-2'],
  ] as const) {
    await page.getByRole('link', { name: `1 ${card}` }).click()
    await page.getByText(filter).waitFor()
    const rows = page.locator('tbody a')
    await page.getByText(/^1 (application|device)$/).waitFor()
    assert.match((await rows.allTextContents()).join(), new RegExp(`${row}$`))
    await page.reload()
    await page.getByText(/^1 (application|device)$/).waitFor()
    await page.goto(`/console/${organizationId}`)
  }
  await page.getByRole('link', { name: '1 Webhooks that cannot be reached' }).click()
  const webhooks = page.getByRole('table', { name: 'Webhooks' }).getByRole('link')
  await webhooks.first().waitFor()
  assert.deepEqual(await webhooks.allTextContents(), ['SIEM'])
  await page.getByText('All', { exact: true }).click()
  await page.getByText('Archive').waitFor()
  assert.deepEqual(problems, [])
})

test('home takes few calls; times are in UTC on request', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const { page, problems, settled } = await openBrowser({ timezoneId: 'America/New_York' })
  const calls: string[] = []
  await page.goto(`/console/${org.organizationId}`)
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/(api|insights)\//.test(pathname)) calls.push(pathname)
  })
  await signInToConsole(page, org.email, org.password)
  await page.getByText(/^Succeeded 1/).waitFor()
  await settled()
  assert.deepEqual(calls.sort(), [
    `/api/organizations/${org.organizationId}`,
    '/api/v2/activity',
    '/api/v2/attention',
  ])
  const steps = page.getByRole('listitem').filter({ has: page.getByLabel('Done') })
  assert.deepEqual(await steps.getByRole('link').allTextContents(), ['Add people'])

  await page.goto(`/console/${org.organizationId}/users/${ada.id}/state`)
  await page.getByLabel('At, in your time zone').waitFor()
  const title = page.locator('time').first()
  assert.match((await title.getAttribute('title'))!, /E[SD]T$/)
  await press(page, /Account of/)
  await page.getByRole('radiogroup', { name: 'Times' }).getByText('UTC').click()
  await page.getByLabel('At, in UTC').fill('2030-01-31T12:00')
  assert.match((await title.getAttribute('title'))!, /UTC$/)
  await press(page, 'Schedule change')
  await page.getByText('Suspended on Thursday, January 31, 2030 at 12:00 PM').waitFor()
  const [scheduled] = (await org.get(`/api/v2/bulk/userstates?userid=${ada.id}`)).json()
  assert.equal(new Date(scheduled.scheduledDate).toISOString(), '2030-01-31T12:00:00.000Z')
  await press(page, /Account of/)
  assert.deepEqual(problems, [])
})

test('a role that may only read sees no way to change', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}/users/${ada.id}`)
  await signInToConsole(page, reader.email, reader.password)
  await heading(page, 'Ada Berg').waitFor()
  assert.equal(await field(page, 'First name').getAttribute('readonly'), '')
  for (const name of ['Save profile', 'Suspend user', 'More actions'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  await sidebar(page).getByRole('link', { name: 'Users' }).click()
  await page.getByText('1 user').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Add user' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('a forgotten password and a second factor', async () => {
  const org = await app.newOrganization()
  const { page, problems } = await openBrowser()
  await page.goto('/console/sign-in')
  await field(page, 'E-mail').fill(org.email)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await press(page, 'Send the link')
  await heading(page, 'Check your inbox').waitFor()
  await app.runDueJobs()
  await page.goto(await linkTo(app, org.email))
  await heading(page, 'Choose a password').waitFor()
  await choosePassword(page, 'short', 'Save the password')
  await page.getByText('must have at least 12 characters').waitFor()
  await choosePassword(page, PASSWORD, 'Save the password')
  await heading(page, 'Your password is set').waitFor()
  await org.put(`/api/users/${org.adminId}`, { enableMultiFactor: true })
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signInToConsole(page, org.email, PASSWORD)
  await heading(page, 'Set up your second factor').waitFor()
  const shown = await page.getByTestId('totp-secret').textContent()
  const [code, next] = codesOf(shown!.replaceAll(' ', ''))
  await field(page, 'Code').fill(code)
  await press(page, 'I saved my recovery codes')
  await press(page, /Account of/)
  await press(page, 'Sign out')
  await signInToConsole(page, org.email, PASSWORD)
  await heading(page, 'Your second factor').waitFor()
  await field(page, 'Code').fill(next)
  await page.getByText('Needs attention').waitFor()
  assert.deepEqual(problems, [])
})

test('the own account: password, second factor, sessions', async () => {
  const org = await app.newOrganization()
  const { page, problems } = await openBrowser()
  await page.goto(`/console/${org.organizationId}`)
  await signInToConsole(page, org.email, org.password)
  await press(page, /Account of/)
  await press(page, 'Your account')
  await heading(page, 'Your account').waitFor()
  const part = (name: string) => page.getByRole('region', { name })
  await part('Where you are signed in').getByText('This device').waitFor()

  await part('Password').getByRole('button', { name: 'Change' }).click()
  await field(page, 'Current password').fill('Wrong-Orchard-58')
  await choosePassword(page, PASSWORD, 'Change password')
  await page.getByRole('alert').waitFor()
  await field(page, 'Current password').fill(org.password)
  await press(page, 'Change password')
  await page.getByText('Your password is changed').waitFor()

  const factor = part('Second factor')
  await factor.getByRole('button', { name: 'Set up' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const confirm = async () => {
    await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
  }
  await confirm()
  const shown = await page.getByTestId('totp-secret').textContent()
  const [code, next] = codesOf(shown!.replaceAll(' ', ''))
  await field(page, 'Code').fill(code)
  await press(page, 'I saved my recovery codes')
  await factor.getByText('On: codes of an authenticator app').waitFor()
  await factor.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByLabel('Code', { exact: true }).fill(next)
  await confirm()
  await factor.getByRole('button', { name: 'Set up' }).waitFor()

  await press(page, 'Sign out everywhere')
  await signInToConsole(page, org.email, PASSWORD)
  await page.getByText('Needs attention').waitFor()
  assert.deepEqual(problems, [])
})
