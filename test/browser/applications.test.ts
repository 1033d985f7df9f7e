import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startPage } from '../endpoint.ts'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { startLab } from '../scim-lab.ts'
import { startServiceProvider } from '../sso/service-provider.ts'
import { addApplication, bind } from '../sso/world.ts'
import { startChromium } from './chromium.ts'
import { sidebar, signInToConsole, tab } from './console-steps.ts'
import { field, heading, press, signIn } from './steps.ts'

// Applications in the console: connect one, let people in, and see what became of it.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

/** A part of a tab. */
const view = (page: Page, name: string) =>
  page
    .getByRole('navigation', { name: /^(Provisioning|Import)$/ })
    .getByRole('link', { name, exact: true })

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('from the catalogue to the first sign-in, which is then on the page', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const group = (await org.post('/api/v2/usergroups', { name: 'Engineering' })).json()
  const member = { op: 'add', type: 'user', id: ada.id }
  await org.post(`/api/v2/usergroups/${group.id}/members`, member)
  const sp = await startServiceProvider()
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto('/console')
  await signInToConsole(page, org.email, org.password)
  await sidebar(page).getByRole('link', { name: 'Applications' }).click()
  await page.getByText('No applications yet').waitFor()
  await page.getByRole('button', { name: 'Add application' }).first().click()

  await heading(page, 'Add application').waitFor()
  await field(page, 'Search the catalogue').fill('graf')
  await page.getByText('1 found').waitFor()
  await page.keyboard.press('Enter')
  await heading(page, 'Add Grafana').waitFor()
  await page.getByLabel('Name', { exact: false }).first().fill('Dashboards')
  await press(page, 'Continue')
  await page.getByText('Read from metadata').click()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'sp.xml', mimeType: 'text/xml', buffer: Buffer.from(sp.metadata) })
  await page.getByText('sp.xml').waitFor()
  await page.getByRole('button', { name: 'Add application' }).click()
  await heading(page, 'Dashboards').waitFor()
  assert.equal(await page.getByLabel('ACS URL').inputValue(), `${sp.origin}/acs`)
  const address = panel(page, 'Give this to the service provider')
  await sp.read(
    (await address
      .getByText(/\/metadata$/)
      .first()
      .textContent())!,
  )

  await tab(page, 'Access').click()
  await page.getByText('Nobody. Bind a group or a user.').waitFor()
  await page.getByRole('combobox', { name: 'Bind a group' }).fill('engin')
  await page.getByRole('option', { name: 'Engineering' }).click()
  await panel(page, 'Who gets in').getByRole('link', { name: 'Ada Berg' }).waitFor()
  await press(page, 'Why Ada Berg?')
  await page.getByText(/^since/).waitFor()
  await page.keyboard.press('Escape')

  const user = await openBrowser()
  await user.page.goto(`${sp.origin}/login`)
  await signIn(user.page, ada.email)
  await user.page.waitForURL(`${sp.origin}/acs`)
  // Grafana's template asks for a transient subject, which names nobody.
  assert.match(String(sp.state.profile?.nameID), /^_[0-9a-f]{64}$/)

  await tab(page, 'SAML 2.0').click()
  const attempts = page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('Signed in').waitFor()
  await attempts.getByRole('button', { name: 'Debug' }).first().click()
  await attempts.getByText('samlp:AuthnRequest').waitFor()

  // The other side reads the metadata with the next certificate, which then signs.
  await press(page, 'Start rotation')
  const certificates = panel(page, 'Certificates')
  await certificates.getByText('Not fetched').waitFor()
  await sp.read(
    (await address
      .getByText(/\/metadata$/)
      .first()
      .textContent())!,
  )
  await page.reload()
  await certificates.getByText('Fetched', { exact: true }).waitFor()
  await press(page, 'Rotate now')
  await certificates.getByText('Signed before').waitFor()
  await user.page.goto(`${sp.origin}/login`)
  await user.page.waitForURL(`${sp.origin}/acs`)

  await tab(page, 'Settings').click()
  await field(page, 'Description').fill('Figures of the plant')
  await press(page, 'Save application')
  await page.getByText('Saved the application').waitFor()
  assert.deepEqual([...problems, ...user.problems], [])
})

test('a client keeps the settings of its logout, and metadata can be followed', async () => {
  const org = await app.newOrganization()
  const client = (
    await org.post('/api/applications', { name: 'oidc', displayLabel: 'Board' })
  ).json()
  const path = `/api/v2/applications/${client.id}/sso`
  const backchannelLogoutUri = 'https://board.example.com/out'
  const redirectUris = ['https://board.example.com/in']
  await org.post(path, { oidc: { redirectUris, backchannelLogoutUri } })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/applications/${client.id}`)
  await signInToConsole(page, org.email, org.password)
  assert.equal(await page.getByLabel('Back-channel logout URI').inputValue(), backchannelLogoutUri)
  await page.getByLabel('Post-logout redirect URIs').fill('https://board.example.com/bye')
  await page.getByRole('combobox', { name: 'Subjects' }).click()
  await page.getByRole('option', { name: /^Public/ }).click()
  await press(page, 'Save settings')
  await page.getByText('Saved the settings').waitFor()
  const { oidc } = (await org.get(path)).json()
  assert.deepEqual(oidc.postLogoutRedirectUris, ['https://board.example.com/bye'])
  assert.deepEqual([oidc.subjectType, oidc.backchannelLogoutUri], ['public', backchannelLogoutUri])

  const sp = await startServiceProvider()
  const metadata = `${await startPage(() => sp.metadata)}/metadata`
  const { id } = await addApplication(org, {}, { displayLabel: 'Wiki' })
  await page.goto(`/console/${org.organizationId}/applications/${id}`)
  await press(page, 'Read metadata')
  await page.getByLabel('Metadata of the service provider').fill(metadata)
  await page.getByLabel('Follow this URL').check()
  await press(page, 'Show changes')
  await press(page, 'Apply changes')
  await page.getByText('Follows the metadata').waitFor()
  await page.getByText(metadata).waitFor()
  await press(page, 'Stop following')
  await page.getByText('Follows the metadata').waitFor({ state: 'hidden' })
  assert.equal((await org.get(`/api/v2/applications/${id}/spmetadata`)).json().followedUrl, null)
  assert.deepEqual(problems, [])
})

test('accounts at a provider that fails, until it is repaired', async () => {
  const org = await app.newOrganization()
  const { id } = await addApplication(org, {}, { displayLabel: 'Tickets' })
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg', username: 'ada.berg' })
  await bind(org, id, 'user', ada.id)
  const lab = await startLab()
  app.secrets.add(lab.token)
  const foreign = lab.store.insert(
    'Users',
    crypto.randomUUID(),
    { userName: ada.username, externalId: 'somebody-else', active: true },
    [],
  )
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/applications/${id}/provisioning`)
  await signInToConsole(page, org.email, org.password)
  await page.getByLabel('Base URL').fill(lab.url)
  await page.getByLabel('Token').first().fill('a wrong one')
  await press(page, 'Connect')
  await view(page, 'Connection').click()
  await press(page, 'Test connection')
  await page.getByText('Fails').waitFor()
  await page.getByLabel('Token').first().fill(lab.token)
  await press(page, 'Save connection')
  await page.getByText('Saved the connection').last().waitFor()
  await press(page, 'Test connection')
  await page.getByText('Works').first().waitFor()

  await view(page, 'Mapping').click()
  await page
    .getByRole('combobox', { name: 'From the user: title' })
    .fill('{"upper": {"source": "username"}}')
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Try it on' }).fill('ada')
  await page.getByRole('option', { name: /Ada Berg/ }).click()
  await page.getByRole('cell', { name: 'ADA.BERG', exact: true }).waitFor()
  await press(page, 'Save mapping')
  await page.getByText('Saved the mapping').waitFor()
  await view(page, 'Plan').click()
  await page.getByRole('table', { name: 'Plan' }).getByText('Create').waitFor()

  await view(page, 'Status').click()
  await press(page, 'Start writing accounts')
  await page.getByRole('button', { name: 'Stop writing accounts' }).waitFor()
  await app.runDueProvisioning()
  const work = page.getByRole('region', { name: 'Work in progress' }).getByRole('listitem')
  await work.filter({ hasText: 'Write accounts: ' }).getByText('1 of 1 fail').waitFor()
  await page.getByRole('link', { name: '1 Gave up' }).click()
  const accounts = page.getByRole('table', { name: 'Accounts' })
  await accounts.getByText(/belongs to somebody else/).waitFor()
  lab.store.removeByHand('Users', foreign.id)
  await press(page, `Retry ${ada.username}`)
  await page.getByText(`Trying ${ada.username} again`).waitFor()
  await app.runDueProvisioning()
  await view(page, 'Accounts').click()
  await accounts.getByText('Has the account').waitFor()
  assert.deepEqual(
    [...lab.store.users.values()].map(({ userName, title }) => [userName, title]),
    [[ada.username, 'ADA.BERG']],
  )

  await bind(org, id, 'user', ada.id, 'remove')
  await app.runDueProvisioning()
  await view(page, 'Status').click()
  await page.reload()
  await page.getByText(/^1 removal: half within/).waitFor()
  await press(page, 'Compare now')
  await work.filter({ hasText: 'Compare accounts: ' }).waitFor()
  await app.runDueProvisioning()
  await work.filter({ hasText: 'Compare accounts: ' }).getByText('Done').waitFor()
  await page.getByText(/1 of 1 as they should be/).waitFor()
  assert.deepEqual(problems, [])
})

test('people from a file, with a preview, a plan, and taken back', async () => {
  const org = await app.newOrganization()
  const { id } = await addApplication(org, {}, { displayLabel: 'Staff list' })
  const content = [
    'First name,Last name,Email,Department',
    'Ada,Berg,ada.berg@example.com,Engineering',
    'Noor,Haddad,noor.haddad@example.com,Sales',
  ].join('\n')
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/applications/${id}/import`)
  await signInToConsole(page, org.email, org.password)
  await heading(page, 'Staff list').waitFor()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
  await page.getByText('staff.csv').waitFor()
  await press(page, 'Save source')
  await press(page, 'Preview records')
  const records = page.getByRole('table', { name: 'Records' })
  await records.getByRole('row', { name: /Noor Haddad Create/ }).waitFor()
  await press(page, 'Rules for Ada Berg')
  await page.getByRole('cell', { name: 'Engineering', exact: true }).waitFor()

  await press(page, 'Continue to import')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.waitForURL(/job=/)
  await app.runDueJobs()
  await page.getByText('Finished').waitFor()
  await page.getByText('2 create').waitFor()
  await view(page, 'Runs').click()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'Import', exact: true }).waitFor()
  await app.runDueJobs()
  await page.getByText('2 done, 0 failed').waitFor()
  const tray = page.getByRole('region', { name: 'Work in progress' }).getByRole('listitem')
  await tray.filter({ hasText: 'Import: Staff list' }).getByText('Done').waitFor()
  await page
    .getByRole('table', { name: 'People' })
    .getByRole('link', { name: 'Ada Berg' })
    .waitFor()
  await press(page, /changes of Ada Berg/)
  const users = async () => (await org.get('/api/systemusers')).json().totalCount
  assert.equal(await users(), 2)

  await press(page, 'Undo import')
  await page.getByRole('heading', { name: 'Undo', exact: true }).waitFor()
  await app.runDueJobs()
  await page.getByText('2 done, 0 failed').waitFor()
  await tray.filter({ hasText: 'Undo: Staff list' }).getByText('Done').waitFor()
  assert.equal(await users(), 0)
  await view(page, 'Runs').click()
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'Undo' }).waitFor()
  assert.deepEqual(problems, [])
})

test('an OpenID Connect client by hand, whose secret is shown once; a reader changes nothing', async () => {
  const org = await app.newOrganization()
  const reader = await app.addAdministrator(org.organizationId, 'Read Only')
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/applications/catalogue/oidc?step=settings`)
  await signInToConsole(page, org.email, org.password)
  await page.getByLabel('Redirect URIs').fill('http://app.example.com/callback')
  await press(page, 'Add application')
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Redirect URIs').fill('https://app.example.com/callback')
  await press(page, 'Add application')
  await page.getByText('The secret is not shown again').waitFor()
  await page.getByRole('link', { name: 'Continue to access' }).click()
  await heading(page, 'OpenID Connect').waitFor()
  const access = page.url()
  await tab(page, 'OpenID Connect').click()
  const client = panel(page, 'Give this to the application')
  await client.getByText('/.well-known/openid-configuration').waitFor()
  await press(page, 'New secret')
  await page.getByRole('dialog', { name: 'The client secret' }).waitFor()

  const { page: other, problems: found, settled } = await openBrowser()
  await other.goto(access)
  await signInToConsole(other, reader.email, reader.password)
  await other.getByText('Nobody. Bind a group or a user.').waitFor()
  for (const name of ['OpenID Connect', 'Provisioning', 'Import', 'Settings']) {
    await tab(other, name).click()
    await settled()
    for (const action of [/^Save/, /^New/, /^Upload/, 'Connect', 'More actions'])
      assert.equal(
        await other.getByRole('button', { name: action }).count(),
        0,
        `${name} ${action}`,
      )
  }
  assert.deepEqual([...problems, ...found], [])
})
