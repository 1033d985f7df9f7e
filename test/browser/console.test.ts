import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startListening } from '../listening.ts'
import { addPerson } from '../person.ts'
import { assertAccessible } from './axe.ts'
import { startChromium } from './chromium.ts'
import { field, heading, press } from './steps.ts'

// The console in a real browser: what an administrator does, end to end.

const app = await startListening()
const openBrowser = await startChromium(app.base)

async function signInToConsole(page: Page, email: string, password: string): Promise<void> {
  await heading(page, 'Sign in to the console').waitFor()
  await field(page, 'E-mail').fill(email)
  await field(page, 'Password').fill(password)
  await press(page, 'Sign in')
}

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' })

/** The object's own pages: the sidebar may have a link of the same name. */
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: /^Pages of/ }).getByRole('link', { name, exact: true })

test('find a user, rename and suspend them, and see both in their history', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await addPerson(org, { firstname: 'Noor', lastname: 'Haddad' })
  const { page, problems } = await openBrowser()
  // An address from before the sign-in is shown after it.
  await page.goto(`/console/${org.organizationId}/users?sort=-lastname`)
  await signInToConsole(page, org.email, 'Wrong-Orchard-58')
  await page.getByRole('alert').waitFor()
  await assertAccessible(page, 'sign-in refused')
  await signInToConsole(page, org.email, org.password)
  await heading(page, 'Users').waitFor()
  await page.getByText('2 users').waitFor()
  assert.deepEqual(await page.locator('tbody a').allTextContents(), ['NHNoor Haddad', 'ABAda Berg'])
  await assertAccessible(page, 'users')

  await page.keyboard.press('/')
  await page.keyboard.type('ada')
  await page.getByText('1 user', { exact: false }).waitFor()
  await page.waitForURL(/q=ada/)
  await page.getByRole('link', { name: 'Ada Berg' }).click()
  await heading(page, 'Ada Berg').waitFor()
  await assertAccessible(page, 'user')
  await field(page, 'Last name').fill('Lovelace')
  await press(page, 'Save profile')
  await heading(page, 'Ada Lovelace').waitFor()
  await page.getByText('Saved the profile').waitFor()
  await press(page, 'Suspend user')
  await page.getByRole('button', { name: 'Activate user' }).waitFor()
  await page.getByText('Suspended Ada Lovelace').waitFor()

  await tab(page, 'History').click()
  const events = page.getByRole('list', { name: 'Events' })
  await events.getByText('User suspended').waitFor()
  // The newest is first.
  await events.getByRole('button', { name: '1 change' }).last().click()
  await events.getByRole('cell', { name: 'Lovelace' }).waitFor()
  await assertAccessible(page, 'history')
  await page.reload()
  await events.getByText('User suspended').waitFor()
  assert.deepEqual(problems, [])
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
  page.on('response', (response) => {
    if (response.url().includes('/api/'))
      answers.push({ url: response.url(), body: response.text().catch(() => '') })
  })
  await other.click()
  await page.waitForURL(new RegExp(`/console/${two}`))
  await sidebar(page).getByRole('link', { name: 'Users' }).click()
  await page.getByRole('link', { name: 'Only Intwo' }).waitFor()
  assert.doesNotMatch(await page.content(), /Inone/)
  for (const { url, body } of answers) assert.doesNotMatch(await body, /Inone/, url)
  assert.deepEqual(problems, [])
})
