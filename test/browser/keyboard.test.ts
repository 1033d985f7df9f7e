import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { startChromium } from './chromium.ts'
import { heading } from './steps.ts'

// Journeys without a mouse: every stop of the focus can be seen, and it is never lost.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)
const MAX_STOPS = 60

/** The element that has the focus, as a screen reader would name it. It must be there, and look like it. */
async function focused(page: Page): Promise<string> {
  const visible = await page.evaluate(() => {
    const element = document.activeElement
    if (!element || element === document.body || !element.matches(':focus-visible')) return false
    // Fields have a caret. Some controls are drawn beside their input.
    const drawn = [element, element.parentElement!, element.nextElementSibling ?? element]
    return (
      element.matches('input, textarea, [contenteditable=true]') ||
      drawn.some((one) => getComputedStyle(one).outlineStyle !== 'none')
    )
  })
  const snapshot = visible ? await page.locator(':focus').ariaSnapshot() : ''
  assert.ok(
    visible,
    `The focus is not visible: ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300))}`,
  )
  return snapshot
}

/** Goes on until the named element has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const stops: string[] = []
  while (stops.length < MAX_STOPS) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    if (name.test(stop)) return
    stops.push(stop.split('\n')[0]!)
  }
  assert.fail(`${name} is not among\n${stops.join('\n')}`)
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await heading(page, 'Sign in to the console').waitFor()
  if (!/"E-mail"/.test(await page.locator(':focus').ariaSnapshot())) await tabTo(page, /"E-mail"/)
  await page.keyboard.type(email)
  await tabTo(page, /textbox "Password"/)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}

test('from the palette to a user, who is added to a group, and not', async () => {
  const org = await app.newOrganization()
  await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const group = (await org.post('/api/v2/usergroups', { name: 'Engineering' })).json()
  const { page, problems } = await openBrowser()
  await page.goto('/console')
  await signIn(page, org.email, org.password)
  await page.getByText('Needs attention').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
  await page.keyboard.type('ada')
  await page.getByRole('button', { name: /Ada Berg/ }).waitFor()
  await page.keyboard.press('Enter')
  await heading(page, 'Ada Berg').waitFor()
  await focused(page)
  await tabTo(page, /\/users\/.*\/groups$/m)
  await page.keyboard.press('Enter')
  await page.getByText('In no group.').waitFor()
  await tabTo(page, /combobox "Add to a group"/)
  await page.keyboard.type('engin')
  await page.getByRole('option', { name: 'Engineering' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Engineering' }).waitFor()
  const members = async () =>
    (await org.get(`/api/v2/usergroups/${group.id}/members`)).json().length
  assert.equal(await members(), 1)
  await tabTo(page, /button "Remove from Engineering"/)
  await page.keyboard.press('Control+z')
  await page.getByText('In no group.').waitFor()
  assert.equal(await members(), 0)
  await focused(page)
  assert.deepEqual(problems, [])
})

test('what is typed right after Control+k is in the palette', async () => {
  const org = await app.newOrganization()
  const { page } = await openBrowser()
  await page.goto('/console')
  await signIn(page, org.email, org.password)
  await page.getByText('Needs attention').waitFor()
  // As soon as the palette is in the document, before anything that was put off.
  const focus = await page.evaluateHandle(() => {
    const seen = new Promise((resolve) =>
      new MutationObserver(() => {
        if (document.querySelector('[role=dialog]'))
          resolve(document.activeElement?.getAttribute('aria-label'))
      }).observe(document.body, { childList: true, subtree: true }),
    )
    return { seen }
  })
  await page.keyboard.press('Control+k')
  assert.equal(await focus.evaluate(({ seen }) => seen), 'Search or jump to')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a query, an event of it, a value excluded, and the search saved', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  await org.put(`/api/systemusers/${ada.id}`, { lastname: 'Lovelace' })
  const { page, problems } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  await page.goto(`/console/${org.organizationId}/insights`)
  await signIn(page, org.email, org.password)
  await heading(page, 'Insights').waitFor()
  const summary = page.getByRole('region', { name: 'Events over time' })
  await summary.getByText(/event/).first().waitFor()
  await tabTo(page, /textbox "Query"/)
  await page.keyboard.type('event_type startsWith systemuser_')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await summary.getByText('2 events').waitFor()
  await tabTo(page, /button "Search"/)
  await page.keyboard.press('j')
  const panel = page.getByRole('complementary', { name: 'Event' })
  await panel.getByRole('cell', { name: 'Lovelace' }).waitFor()
  await focused(page)
  await tabTo(page, /button "Exclude event_type systemuser_update"/)
  await page.keyboard.press('Enter')
  await summary.getByText('1 event').waitFor()
  await focused(page)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await focused(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
  await page.keyboard.type('save this')
  await page.getByRole('button', { name: 'Save this search' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Save this search' }).waitFor()
  await page.keyboard.type('New people')
  await page.keyboard.press('Enter')
  await page.getByText('Saved New people').waitFor()
  await page.getByRole('button', { name: 'New people' }).waitFor()
  await focused(page)
  assert.deepEqual(problems, [])
})

test('a row is edited with e, and the palette does what the page is for', async () => {
  const org = await app.newOrganization()
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const group = (await org.post('/api/v2/usergroups', { name: 'Engineering' })).json()
  const { page, problems } = await openBrowser()
  const nameHasFocus = (label: string) =>
    page.getByRole('textbox', { name: label }).and(page.locator(':focus')).waitFor()
  await page.goto(`/console/${org.organizationId}/groups`)
  await signIn(page, org.email, org.password)
  await page.getByRole('link', { name: 'Engineering' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await nameHasFocus('Name')
  await page.waitForURL(`**/groups/${group.id}/settings`)
  // From a page of the user without fields.
  await page.goto(`/console/${org.organizationId}/users/${ada.id}/access`)
  await heading(page, 'Ada Berg').waitFor()
  await page.keyboard.press('e')
  await nameHasFocus('First name')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Eda')
  await page.keyboard.press('Enter')
  await heading(page, 'Eda Berg').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
  await page.keyboard.type('suspend')
  await page.keyboard.press('Enter')
  await page.getByText('Suspended Eda Berg').waitFor()
  assert.deepEqual(problems, [])
})
