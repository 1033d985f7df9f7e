import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { startServiceProvider } from '../sso/service-provider.ts'
import { assertAccessible } from './axe.ts'
import { startChromium } from './chromium.ts'
import { sidebar, signInToConsole, tab } from './console-steps.ts'
import { field, heading, press, signIn } from './steps.ts'

// Applications in the console: connect one, let people in, and see what became of it.

const app = await startListening({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } })
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

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
  await assertAccessible(page, 'catalogue')
  await page.keyboard.press('Enter')
  await heading(page, 'Add Grafana').waitFor()
  await page.getByLabel('Name', { exact: false }).first().fill('Dashboards')
  await assertAccessible(page, 'name')
  await press(page, 'Continue')
  await page.getByText('Read from metadata').click()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'sp.xml', mimeType: 'text/xml', buffer: Buffer.from(sp.metadata) })
  await page.getByText('sp.xml').waitFor()
  await assertAccessible(page, 'connect')
  await page.getByRole('button', { name: 'Add application' }).click()
  await heading(page, 'Dashboards').waitFor()
  const application = page.url()
  assert.equal(await page.getByLabel('ACS URL').inputValue(), `${sp.origin}/acs`)
  const address = panel(page, 'Give this to the service provider')
  await sp.read(
    (await address
      .getByText(/\/metadata$/)
      .first()
      .textContent())!,
  )
  await assertAccessible(page, 'single sign-on')

  await tab(page, 'Access').click()
  await page.getByText('Nobody. Bind a group or a user.').waitFor()
  await page.getByRole('combobox', { name: 'Bind a group' }).fill('engin')
  await page.getByRole('option', { name: 'Engineering' }).click()
  await panel(page, 'Who gets in').getByRole('link', { name: 'Ada Berg' }).waitFor()
  await press(page, 'Why Ada Berg?')
  await page.getByText(/^since/).waitFor()
  await assertAccessible(page, 'access')
  await page.keyboard.press('Escape')

  const user = await openBrowser()
  await user.page.goto(`${sp.origin}/login`)
  await signIn(user.page, ada.email)
  await user.page.waitForURL(`${sp.origin}/acs`)
  assert.equal(sp.state.profile?.nameID, ada.email)

  await tab(page, 'SAML 2.0').click()
  const attempts = page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('Signed in').waitFor()
  await attempts.getByRole('button', { name: 'Debug' }).first().click()
  await attempts.getByText('samlp:AuthnRequest').waitFor()
  await assertAccessible(page, 'attempts')

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
  await assertAccessible(page, 'rotation')
  await press(page, 'Rotate now')
  await certificates.getByText('Signed before').waitFor()
  await user.page.goto(`${sp.origin}/login`)
  await user.page.waitForURL(`${sp.origin}/acs`)

  await tab(page, 'Settings').click()
  await field(page, 'Description').fill('Figures of the plant')
  await press(page, 'Save application')
  await page.getByText('Saved the application').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const at of ['', '/access', '/settings', '/history', '/provisioning'])
      await shown(page, `${application}${at}`, colorScheme)
    for (const at of ['applications', 'applications/catalogue', 'applications/catalogue/oidc'])
      await shown(page, `/console/${org.organizationId}/${at}`, colorScheme)
  }
  assert.deepEqual([...problems, ...user.problems], [])
})

async function shown(page: Page, address: string, colorScheme: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await assertAccessible(page, `${address}, ${colorScheme}`)
}
