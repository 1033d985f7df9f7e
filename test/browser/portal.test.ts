import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { listMails } from '../../server/platform/mail.ts'
import { startApp } from '../harness.ts'
import { addPerson, bindApplication, codesOf, PASSWORD } from '../person.ts'
import { assertAccessible } from './axe.ts'
import { startChromium } from './chromium.ts'

// People and their pages, in a real browser: few journeys, each from end to end.

const app = await startApp()
await app.http.listen({ port: 0, host: '127.0.0.1' })
const base = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`
const openBrowser = await startChromium()
const NEW = 'Painted-Harbour-71'
app.secrets.add(PASSWORD).add(NEW)

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

async function signIn(page: Page, identifier: string, password = PASSWORD) {
  await heading(page, 'Sign in').waitFor()
  await field(page, 'E-mail or username').fill(identifier)
  await field(page, 'Password').fill(password)
  await press(page, 'Sign in')
}

/** The path of the link in the last mail to somebody. */
async function linkTo(recipient: string): Promise<string> {
  const mails = await listMails(app.db, app.sealer, 1000)
  // Newest first or last: the link that works is the newest.
  const [newest] = mails
    .filter((mail) => mail.recipient === recipient && mail.body.includes('/password?'))
    .sort((a, b) => b.created.localeCompare(a.created))
  const { pathname, search } = new URL(/http\S+/.exec(newest!.body)![0])
  return pathname + search
}

test('from the mail of the activation to the applications, in light and dark', async () => {
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
  const { page, problems } = await openBrowser(base)
  await page.goto(await linkTo(user.email))
  await heading(page, 'Welcome, Ada').waitFor()
  await assertAccessible(page, 'activation')
  await field(page, 'New password').fill('short')
  await field(page, 'Repeat the new password').fill('short')
  await press(page, 'Activate my account')
  await page.getByText('This password does not follow the rules below').waitFor()
  await assertAccessible(page, 'activation with a refused password')
  await field(page, 'New password').fill(NEW)
  await press(page, 'Activate my account')
  await page.getByText('The two are not the same').waitFor()
  await field(page, 'Repeat the new password').fill(NEW)
  await press(page, 'Activate my account')
  await heading(page, 'Your account is active').waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()

  await heading(page, 'Sign in').waitFor()
  assert.equal(await field(page, 'E-mail or username').inputValue(), user.username)
  await assertAccessible(page, 'sign-in')
  await field(page, 'Password').fill('Wrong-Orchard-58')
  await press(page, 'Sign in')
  await page.getByRole('alert').waitFor()
  await assertAccessible(page, 'sign-in refused')
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

  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
    for (const name of ['Profile', 'Security', 'Applications']) {
      await page.getByRole('link', { name, exact: true }).click()
      await heading(page, name).waitFor()
      await page.getByLabel('Loading').waitFor({ state: 'detached' })
      await assertAccessible(page, `${name}, ${scheme}`)
    }
  }

  await press(page, 'Account of Ada Berg')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await assertAccessible(page, 'account')
  await press(page, 'Sign out')
  await heading(page, 'Sign in').waitFor()
  await page.goto('/security')
  await heading(page, 'Sign in').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('continue'), '/security')
  assert.deepEqual(problems, [])
})

test('with the keyboard alone, on a phone: an expired password, then a required second factor', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org, { enable_user_portal_multifactor: true })
  await org.post(`/api/systemusers/${user.id}/expire`)
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const { page, problems } = await openBrowser(base, phone)
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
  await assertAccessible(page, 'expired')
  await field(page, 'New password').focus()
  await keyboard.type(NEW)
  await field(page, 'Repeat the new password').focus()
  await keyboard.type(NEW)
  await keyboard.press('Enter')

  await heading(page, 'Set up your second factor').waitFor()
  const shown = await page.getByTestId('totp-secret').textContent()
  const secret = shown!.replaceAll(' ', '')
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await assertAccessible(page, 'enrolment')
  const [code, next] = codesOf(secret)
  await field(page, 'Code').focus()
  await keyboard.type(`${code.slice(0, 3)} ${code.slice(3)}`)
  await keyboard.press('Enter')
  // Where the person wanted to go in the first place.
  await heading(page, 'Profile').waitFor()
  await page.getByRole('heading', { name: 'Work' }).waitFor()
  await assertAccessible(page, 'profile on a phone')
  // A phone shows all of a page that is too wide, only smaller.
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(width, phone.viewport.width, 'nothing sticks out at the side')

  const second = await openBrowser(base, phone)
  await second.page.goto('/')
  await signIn(second.page, user.username, NEW)
  await heading(second.page, 'Your second factor').waitFor()
  await assertAccessible(second.page, 'code')
  await field(second.page, 'Code').fill('000000')
  await press(second.page, 'Continue')
  await second.page.getByRole('alert').waitFor()
  await field(second.page, 'Code').fill(next)
  await press(second.page, 'Continue')
  await heading(second.page, 'Applications').waitFor()
  await second.page.getByText('No application is assigned to you yet').waitFor()

  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByText('This device').waitFor()
  await press(page, 'Sign out everywhere else')
  await page
    .getByRole('button', { name: 'Sign out everywhere else' })
    .waitFor({ state: 'detached' })
  await second.page.goto('/profile')
  await heading(second.page, 'Sign in').waitFor()
  assert.deepEqual([...problems, ...second.problems], [])
})

test('a forgotten password; the password and the second factor changed in the portal', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { page, problems } = await openBrowser(base)
  await page.goto('/login')
  await field(page, 'E-mail or username').fill(user.email)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await heading(page, 'Forgot your password?').waitFor()
  assert.equal(await field(page, 'E-mail or username').inputValue(), user.email)
  await assertAccessible(page, 'forgotten')
  await press(page, 'Send the link')
  await heading(page, 'Look into your mailbox').waitFor()
  const link = await linkTo(user.email)
  await page.goto(link)
  await heading(page, 'Choose a new password').waitFor()
  await field(page, 'New password').fill(NEW)
  await field(page, 'Repeat the new password').fill(NEW)
  await press(page, 'Save the new password')
  await heading(page, 'Your new password is set').waitFor()
  await page.goto(link)
  await heading(page, 'This link does not work any more').waitFor()
  await assertAccessible(page, 'spent link')

  await page.goto('/login?continue=%2Fsecurity')
  await signIn(page, user.email, NEW)
  await heading(page, 'Security').waitFor()
  await press(page, 'Change')
  await field(page, 'Present password').fill(NEW)
  await field(page, 'New password').fill(PASSWORD)
  await field(page, 'Repeat the new password').fill(PASSWORD)
  await assertAccessible(page, 'changing the password')
  await press(page, 'Change the password')
  await page.getByText('Your password is changed').waitFor()
  await assertAccessible(page, 'password changed')

  await press(page, 'Set up')
  const shown = await page.getByTestId('totp-secret').textContent()
  const [code, next] = codesOf(shown!.replaceAll(' ', ''))
  await field(page, 'Code').fill(code)
  await press(page, 'Turn on')
  await page.getByText('Codes of an authenticator app').waitFor()
  await assertAccessible(page, 'second factor on')
  await press(page, 'Remove')
  await field(page, 'Code').fill(next)
  await press(page, 'Remove the second factor')
  await page.getByRole('button', { name: 'Set up' }).waitFor()
  assert.deepEqual(problems, [])
})

test('asked afresh, whoever is signed in proves it again; nobody is sent to another site', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { page, problems } = await openBrowser(base)
  await page.goto('/login?continue=%2Fprofile')
  await signIn(page, user.username)
  await heading(page, 'Profile').waitFor()
  await page.goto('/login?continue=%2Fsecurity')
  await heading(page, 'Security').waitFor()
  await page.goto('/login?continue=%2Fprofile&fresh=1')
  await heading(page, 'Is it you?').waitFor()
  await assertAccessible(page, 'afresh')
  assert.equal(await field(page, 'E-mail or username').inputValue(), user.email)
  await field(page, 'Password').fill(PASSWORD)
  await press(page, 'Continue')
  await heading(page, 'Profile').waitFor()
  for (const evil of ['//evil.example/', '/\\evil.example/', 'https://evil.example/']) {
    await page.goto(`/login?continue=${encodeURIComponent(evil)}`)
    await heading(page, 'Applications').waitFor()
    assert.equal(new URL(page.url()).origin, base)
  }
  assert.deepEqual(problems, [])
})

test('one name in two organizations: the person says which', async () => {
  const [one, two] = [await app.newOrganization(), await app.newOrganization()]
  const user = await addPerson(one)
  await addPerson(two, { email: user.email })
  const { page, problems } = await openBrowser(base)
  await page.goto('/')
  await signIn(page, user.email)
  await heading(page, 'Which organization?').waitFor()
  await assertAccessible(page, 'organizations')
  const name = (await one.get(`/api/organizations/${one.organizationId}`)).json().displayName
  await press(page, name)
  await heading(page, 'Applications').waitFor()
  await page.getByText(name).waitFor()
  assert.deepEqual(problems, [])
})
