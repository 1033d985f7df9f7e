import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, codesOf, PASSWORD } from '../person.ts'
import { startChromium } from './chromium.ts'
import { field, heading, press, signIn } from './steps.ts'

// Ways to sign in, in a real browser.

const app = await startListening()
const openBrowser = await startChromium(app.base)
const NEW = 'Painted-Harbour-71'
app.secrets.add(PASSWORD).add(NEW)

test('with the keyboard alone, on a phone: an expired password, then a required second factor', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { enable_user_portal_multifactor: true })
  await org.post(`/api/systemusers/${user.id}/expire`)
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const { page, problems } = await openBrowser(phone)
  const { keyboard } = page
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'))
  await page.goto('/profile')
  await heading(page, 'Sign in').waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'username')
  await keyboard.type(user.email)
  await keyboard.press('Tab')
  assert.equal(await focused(), 'password')
  await keyboard.type(PASSWORD)
  await keyboard.press('Enter')

  await heading(page, 'Time for a new password').waitFor()
  await page.getByText('must have at least').waitFor()
  await field(page, 'New password').focus()
  await keyboard.type(NEW)
  await field(page, 'Repeat the new password').focus()
  await keyboard.type(NEW)
  await keyboard.press('Enter')

  await heading(page, 'Set up your second factor').waitFor()
  const shown = await page.getByTestId('totp-secret').textContent()
  const secret = shown!.replaceAll(' ', '')
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  const [code] = codesOf(secret)
  await field(page, 'Code').focus()
  // Six digits submit themselves.
  await keyboard.type(`${code.slice(0, 3)} ${code.slice(3)}`)

  await heading(page, 'Your recovery codes').waitFor()
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  for (const shown of await codes.allTextContents()) app.secrets.add(shown)
  assert.equal(await codes.count(), 10)
  // A phone would shrink a page that is too wide.
  const width = () => page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(await width(), phone.viewport.width, 'nothing sticks out at the side')
  const kept = page.getByRole('button', { name: 'I saved my recovery codes' })
  await kept.focus()
  await keyboard.press('Enter')
  // The page that the user asked for.
  await heading(page, 'Profile').waitFor()
  await page.getByRole('heading', { name: 'Work' }).waitFor()
  assert.equal(await width(), phone.viewport.width, 'nothing sticks out at the side')

  const second = await openBrowser(phone)
  await second.page.goto('/')
  await signIn(second.page, user.username, NEW)
  await heading(second.page, 'Your second factor').waitFor()
  await press(second.page, 'Not you?')
  await signIn(second.page, user.username, NEW)
  await heading(second.page, 'Your second factor').waitFor()
  await field(second.page, 'Code').fill('000000')
  await second.page.getByRole('alert').waitFor()
  // The current code: the journey may take longer than a code is valid.
  await field(second.page, 'Code').fill(codesOf(secret)[1])
  await heading(second.page, 'Applications').waitFor()
  await second.page.getByText('No application is assigned to you yet').waitFor()

  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByText('This device').waitFor()
  await press(page, 'Sign out everywhere else')
  await page
    .getByRole('button', { name: 'Sign out everywhere else' })
    .waitFor({ state: 'detached' })
  // The page is still there, but not the session.
  await second.page.getByRole('link', { name: 'Profile' }).click()
  await heading(second.page, 'Sign in').waitFor()
  assert.equal(new URL(second.page.url()).searchParams.get('continue'), '/profile')
  assert.deepEqual([...problems, ...second.problems], [])
})

test('a signed-in user authenticates again on request; no redirect leads to another site', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { page, problems } = await openBrowser()
  await page.goto('/login?continue=%2Fprofile')
  await signIn(page, user.username)
  await heading(page, 'Profile').waitFor()
  await page.goto('/login?continue=%2Fsecurity')
  await heading(page, 'Security').waitFor()
  await page.goto('/login?continue=%2Fprofile&fresh=1')
  await heading(page, 'Confirm that it is you').waitFor()
  assert.equal(await field(page, 'E-mail or username').inputValue(), user.email)
  await field(page, 'Password').fill(PASSWORD)
  await press(page, 'Continue')
  await heading(page, 'Profile').waitFor()
  for (const evil of ['//evil.example/', '/\\evil.example/', 'https://evil.example/']) {
    await page.goto(`/login?continue=${encodeURIComponent(evil)}`)
    await heading(page, 'Applications').waitFor()
    assert.equal(new URL(page.url()).origin, app.base)
  }
  assert.deepEqual(problems, [])
})

test('one name in two organizations: the user chooses', async () => {
  const [one, two] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addPerson(one)
  await addPerson(two, { email: user.email })
  const { page, problems } = await openBrowser()
  await page.goto('/')
  await signIn(page, user.email)
  await heading(page, 'Which organization?').waitFor()
  const name = (await one.get(`/api/organizations/${one.organizationId}`)).json().displayName
  await press(page, name)
  await heading(page, 'Applications').waitFor()
  await page.getByText(name).waitFor()
  assert.deepEqual(problems, [])
})
