import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, bindApplication, codesOf, PASSWORD } from '../person.ts'
import { startChromium } from './chromium.ts'
import { linkTo } from './mailbox.ts'
import { choosePassword, field, heading, press, signIn } from './steps.ts'

// Users and their pages in a real browser: a few journeys, each end to end.

const app = await startListening()
const openBrowser = await startChromium(app.base)
const NEW = 'Painted-Harbour-71'
app.secrets.add(PASSWORD).add(NEW)

test('from the activation mail to the applications', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, {
    password: undefined,
    state: 'STAGED',
    firstname: 'Ada',
    lastname: 'Berg',
  })
  await org.post(`/api/systemusers/${user.id}/state/activate`)
  await bindApplication(org, user.id, { displayLabel: 'Company wiki' })
  await bindApplication(org, user.id, {
    displayLabel: 'Canteen',
    ssoUrl: 'https://canteen.example.com/',
  })
  const { page, problems } = await openBrowser()
  await page.goto(await linkTo(app, user.email))
  await heading(page, 'Welcome, Ada').waitFor()
  // Rules are checked while the user types.
  const digit = page.getByRole('listitem').filter({ hasText: 'must have a digit' })
  await digit.and(page.locator('[data-state=open]')).waitFor()
  await field(page, 'New password').fill('short1')
  await digit.and(page.locator('[data-state=kept]')).waitFor()
  await choosePassword(page, 'short', 'Activate my account')
  await page.getByText('This password does not follow the rules below').waitFor()
  await field(page, 'New password').fill(NEW)
  await press(page, 'Activate my account')
  await page.getByText('The passwords do not match').waitFor()
  await field(page, 'Repeat the new password').fill(NEW)
  await press(page, 'Activate my account')
  await heading(page, 'Your account is active').waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()

  await heading(page, 'Sign in').waitFor()
  assert.equal(await field(page, 'E-mail or username').inputValue(), user.username)
  await field(page, 'Password').fill('Wrong-Orchard-58')
  await press(page, 'Sign in')
  await page.getByRole('alert').waitFor()
  const toConsole = page.getByRole('link', { name: 'Sign in to the console' })
  assert.equal(await toConsole.getAttribute('href'), '/console')
  await field(page, 'Password').fill(NEW)
  await press(page, 'Sign in')

  await heading(page, 'Applications').waitFor()
  const wiki = page.getByRole('link', { name: 'Company wiki' })
  await wiki.waitFor()
  assert.equal(await wiki.getAttribute('href'), 'https://wiki.example.com/')
  assert.equal(await wiki.getAttribute('rel'), 'noopener')
  await page.getByLabel('Search applications').fill('cant')
  await page.getByText('1 found').waitFor()
  assert.equal(await wiki.count(), 0)
  await page.getByLabel('Search applications').fill('nothing like it')
  await page.getByText('No application matches').waitFor()
  await page.getByLabel('Search applications').fill('')

  for (const name of ['Profile', 'Security', 'Applications']) {
    await page.getByRole('link', { name, exact: true }).click()
    await heading(page, name).waitFor()
    await page.getByLabel('Loading').waitFor({ state: 'detached' })
  }

  await press(page, 'Account of Ada Berg')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await press(page, 'Sign out')
  await heading(page, 'Sign in').waitFor()
  await page.goto('/security')
  await heading(page, 'Sign in').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('continue'), '/security')
  assert.deepEqual(problems, [])
})

test('favourites and recently used applications come first, and long names are clamped', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const long = 'Quarterly planning and reporting for all departments and subsidiaries'
  for (const displayLabel of ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', long])
    await bindApplication(org, user.id, { displayLabel, ssoUrl: `${app.base}/favicon.svg` })
  const { page, context, problems } = await openBrowser()
  await page.goto('/')
  await signIn(page, user.email)
  await heading(page, 'Applications').waitFor()
  const name = page.getByText(long)
  const lineHeight = await name.evaluate((node) =>
    Number.parseFloat(getComputedStyle(node).lineHeight),
  )
  assert.ok((await name.boundingBox())!.height < 2.5 * lineHeight, 'at most two lines')

  await page.getByRole('button', { name: 'Favourite: Gamma' }).click()
  const favourites = page.getByRole('region', { name: 'Favourites' })
  await favourites.getByRole('link', { name: 'Gamma' }).waitFor()
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Epsilon' }).click()
  await (await opened).close()
  const recent = page.getByRole('region', { name: 'Recently used' })
  await recent.getByRole('link', { name: 'Epsilon' }).waitFor()

  // Kept for the next visit.
  await page.reload()
  await favourites.getByRole('link', { name: 'Gamma' }).waitFor()
  await recent.getByRole('link', { name: 'Epsilon' }).waitFor()
  await favourites.getByRole('button', { name: 'Favourite: Gamma' }).click()
  await favourites.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('a forgotten password; the password and the second factor changed in the portal', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { page, problems } = await openBrowser()
  await page.goto('/login')
  await field(page, 'E-mail or username').fill(user.email)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await heading(page, 'Forgot your password?').waitFor()
  assert.equal(await field(page, 'E-mail or username').inputValue(), user.email)
  await press(page, 'Send the link')
  await heading(page, 'Check your inbox').waitFor()
  await app.runDueJobs()
  const link = await linkTo(app, user.email)
  await page.goto(link)
  await heading(page, 'Choose a new password').waitFor()
  await choosePassword(page, NEW, 'Save the new password')
  await heading(page, 'Your new password is set').waitFor()
  await page.goto(link)
  await heading(page, 'This link no longer works').waitFor()

  await page.goto('/login?continue=%2Fsecurity')
  await signIn(page, user.email, NEW)
  await heading(page, 'Security').waitFor()
  await press(page, 'Change')
  await field(page, 'Current password').fill(NEW)
  await field(page, 'New password').fill(PASSWORD)
  await field(page, 'Repeat the new password').fill(PASSWORD)
  await press(page, 'Change password')
  await page.getByText('Your password is changed').waitFor()

  await press(page, 'Set up')
  const shown = await page.getByTestId('totp-secret').textContent()
  const [code, next] = codesOf(shown!.replaceAll(' ', ''))
  await field(page, 'Code').fill(code)
  await press(page, 'I saved my recovery codes')
  await page.getByText('Codes of an authenticator app').waitFor()
  await press(page, 'Remove')
  await field(page, 'Code').fill(next)
  await press(page, 'Remove the second factor')
  await page.getByRole('button', { name: 'Set up' }).waitFor()
  assert.deepEqual(problems, [])
})
