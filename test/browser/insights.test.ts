import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertPastEvents } from '../../server/insights/index.ts'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { startChromium } from './chromium.ts'
import { field, heading, press } from './steps.ts'

// The event explorer in a real browser.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)
type Org = Awaited<ReturnType<typeof app.newOrganization>>

async function openInsights(page: Page, org: Org, search = ''): Promise<void> {
  await page.goto(`/console/${org.organizationId}/insights${search}`)
  await field(page, 'E-mail').fill(org.email)
  await field(page, 'Password').fill(org.password)
  await press(page, 'Sign in')
  await heading(page, 'Insights').waitFor()
}

const rows = (page: Page) =>
  page.getByRole('region', { name: 'Events', exact: true }).locator('tbody tr')
const summary = (page: Page) => page.getByRole('region', { name: 'Events over time' })
const query = (page: Page) => page.getByRole('textbox', { name: 'Query', exact: true })
const completion = (page: Page, name: string) =>
  page.getByRole('listbox', { name: 'Completions' }).getByRole('option', { name })

test('a query typed with completion, an event with its changes, a value excluded, the search saved', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await addPerson(org, { firstname: 'Noor', lastname: 'Haddad' })
  await org.put(`/api/systemusers/${ada.id}`, { lastname: 'Lovelace' })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await openInsights(page, org)
  await rows(page).first().waitFor()
  await summary(page).getByText(/event/).first().waitFor()

  await query(page).click()
  await page.keyboard.type('event_ty')
  await completion(page, 'event_type').waitFor()
  await completion(page, 'event_type').click()
  await completion(page, 'startsWith').click()
  await page.keyboard.type('systemuser_')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=event_type\+startsWith\+systemuser_/)
  await rows(page).filter({ hasText: 'User update' }).first().waitFor()
  await summary(page).getByText('3 events').waitFor()

  await rows(page).filter({ hasText: 'User update' }).getByRole('link').click()
  const panel = page.getByRole('complementary', { name: 'Event' })
  await panel.getByRole('cell', { name: 'Lovelace' }).waitFor()
  await panel.getByRole('button', { name: 'Exclude event_type systemuser_update' }).click()
  await summary(page).getByText('2 events').waitFor()
  await page.waitForURL(/systemuser_update/)

  await page.getByText('JSON', { exact: true }).click()
  const json = page.getByRole('textbox', { name: 'Query as JSON' })
  await json.getByText('"ne"').waitFor()
  await json.fill('{"and": [{"event_type": "systemuser_update"}]}')
  await page.keyboard.press('Escape')
  await press(page, /^Search$/)
  await summary(page).getByText('1 event').waitFor()
  await page.getByText('Text', { exact: true }).click()
  await query(page).getByText('systemuser_update').waitFor()

  await page.getByRole('button', { name: 'event_type', exact: true }).click()
  await page
    .getByRole('list', { name: 'Values of event_type' })
    .getByText('systemuser_update')
    .waitFor()

  await press(page, 'Searches')
  await page.getByRole('menuitem', { name: 'Save this search…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this search' })
  await dialog.getByLabel('Name').fill('Renamed people')
  await dialog.getByLabel(/^Share/).check()
  await dialog.getByRole('button', { name: 'Save search' }).click()
  await page.getByText('Saved Renamed people').waitFor()
  await press(page, 'Renamed people')
  await page.getByRole('menuitem', { name: 'Every event' }).click()
  await page.waitForURL((url) => url.search === '')
  await press(page, 'Searches')
  await page.getByRole('menuitem', { name: /^Renamed people/ }).click()
  await summary(page).getByText('1 event').waitFor()
  await page.reload()
  await summary(page).getByText('1 event').waitFor()

  await press(page, 'Renamed people')
  await page.getByRole('menuitem', { name: 'Change Renamed people…' }).click()
  const change = page.getByRole('dialog', { name: 'Change this search' })
  await change.getByLabel('Name').fill('New names')
  await change.getByLabel(/^Share/).uncheck()
  await change.getByRole('button', { name: 'Save search' }).click()
  await page.getByRole('button', { name: 'New names', exact: true }).waitFor()
  const saved = await org.get('/insights/directory/v1/saved-searches')
  assert.deepEqual(
    saved.json().results.map((one: { name: string; shared: boolean }) => [one.name, one.shared]),
    [['New names', false]],
  )

  await press(page, 'Export')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^As JSON/ }).click(),
  ])
  const [line, ...none] = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n')
  assert.equal(JSON.parse(line!).event_type, 'systemuser_update')
  assert.deepEqual(none, [])
  const tray = page.getByRole('region', { name: 'Work in progress' })
  await tray.getByText('Done').waitFor()
  await tray.getByRole('link', { name: 'Export events as NDJSON' }).waitFor()
  await press(page, /^Dismiss/)

  await query(page).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('event_type is odd')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Expected an operator after event_type').waitFor()
  assert.deepEqual(problems, [])
})

test('sign-ins by country, narrowed by a click on one', async () => {
  const org = await app.newOrganization()
  const signIns = ['de', 'de', 'fr'].map((country_code, at) => ({
    id: `${org.organizationId}-${at}`,
    service: 'directory',
    event_type: 'user_login_attempt',
    timestamp: new Date().toISOString(),
    geoip: { country_code },
  }))
  await org.post('/insights/directory/v1/ingest', signIns)
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await openInsights(page, org)
  await press(page, 'Searches')
  await page.getByRole('menuitem', { name: 'Sign-ins by country' }).click()
  const countries = page.getByRole('list', { name: 'Values of geoip.country_code' })
  await countries.getByRole('button', { name: 'Germany', exact: true }).click()
  await page.waitForURL(/country_code\+%3D\+de/)
  await summary(page).getByText('2 events').waitFor()
  await countries.getByText('France').waitFor({ state: 'detached' })
  await page.goBack()
  await countries.getByText('France').waitFor()
  assert.deepEqual(problems, [])
})

test('the live tail shows an event as it happens', async () => {
  const org = await app.newOrganization()
  const { page, problems } = await openBrowser()
  await openInsights(page, org, '?live=1&q=event_type+%3D+systemuser_create')
  await page.getByRole('status').getByText('Live · 0 new').waitFor()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await page.getByRole('status').getByText('Live · 1 new').waitFor()
  await rows(page).filter({ hasText: 'User create' }).waitFor()
  await page.getByLabel('Live').uncheck()
  await page.waitForURL((url) => !url.searchParams.has('live'))
  assert.deepEqual(problems, [])
})

test('events of LDAP, which have no id, are opened one by one, and the tail goes on after them', async () => {
  const org = await app.newOrganization()
  const timestamp = new Date().toISOString()
  await app.db.tx(org.organizationId, (tx) =>
    insertPastEvents(
      tx,
      org.organizationId,
      ['ldap_bind', 'ldap_search'].map((event_type, operation_number) => {
        const about = { connection_id: 'a/b+c==', operation_number, service: 'ldap' }
        const document = JSON.stringify({ event_type, timestamp, ...about })
        return { id: crypto.randomUUID(), timestamp, service: 'ldap', document }
      }),
    ),
  )
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await openInsights(page, org, '?q=service+%3D+ldap')
  await rows(page).nth(1).waitFor()
  assert.equal(await page.locator('tr[data-open]').count(), 0)
  await rows(page).filter({ hasText: 'Ldap search' }).getByRole('link').click()
  const panel = page.getByRole('complementary', { name: 'Event' })
  await panel.getByRole('heading', { name: 'Ldap search' }).waitFor()
  assert.equal(await page.locator('tr[data-open]').count(), 1)
  const url = new URL(page.url())
  url.searchParams.set('q', 'service = directory')
  await page.goto(url.href)
  await panel.getByRole('heading', { name: 'Ldap search' }).waitFor()
  await page.goto(`/console/${org.organizationId}/insights?live=1&q=service+%3D+ldap`)
  await page.getByRole('status').getByText('Live · 0 new').waitFor()
  assert.deepEqual(problems, [])
})

test('who changed a group last', async () => {
  const org = await app.newOrganization()
  const made = await org.post('/api/v2/usergroups', { name: 'Engineering' })
  const { id } = made.json() as { id: string }
  await org.put(`/api/v2/usergroups/${id}`, { name: 'Platform engineering' })
  const { page, problems } = await openBrowser()
  await openInsights(page, org)
  await press(page, 'Searches')
  await page.getByRole('menuitem', { name: 'Changes of groups' }).click()
  const last = rows(page).filter({ hasText: 'Group update' })
  await last.getByText(org.email).waitFor()
  await last.getByRole('link').click()
  await page.getByRole('link', { name: /^Open the/ }).click()
  await heading(page, 'Platform engineering').waitFor()
  assert.deepEqual(problems, [])
})

test('home leads to the events behind its charts, and the palette to what the page can do', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await openInsights(page, org)
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByText('None: applications with failing provisioning', { exact: false }).waitFor()
  await page.getByText(/^directory \d+/).waitFor()
  await page.getByRole('link', { name: 'Show events' }).nth(1).click()
  await heading(page, 'Insights').waitFor()
  await rows(page).filter({ hasText: 'Admin login attempt' }).first().waitFor()

  const palette = page.getByLabel('Search or jump to', { exact: true })
  await page.keyboard.press('Control+k')
  await palette.fill(ada.id)
  await page.getByRole('button', { name: /Ada Berg/ }).click()
  await heading(page, 'Ada Berg').waitFor()
  await page.keyboard.press('Control+k')
  await palette.fill('expire')
  await page.getByRole('button', { name: 'Expire password' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Expire password' }).click()
  await page.getByText('The password of Ada Berg has expired').waitFor()
  assert.deepEqual(problems, [])
})
