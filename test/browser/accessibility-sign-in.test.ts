import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { signInToConsole as beginSession } from '../console.ts'
import { startListening } from '../listening.ts'
import { begin, discover } from '../oidc/relying-party.ts'
import { addClient, CALLBACK } from '../oidc/world.ts'
import { addPerson, bindApplication, codesOf, PASSWORD, Person } from '../person.ts'
import { connect } from '../sso/connect.ts'
import { addApplication, bind } from '../sso/world.ts'
import { assertAccessible, assertAccessibleInBoth } from './axe.ts'
import { startChromium } from './chromium.ts'
import { signInToConsole } from './console-steps.ts'
import { linkTo } from './mailbox.ts'
import { choosePassword, field, heading, press, signIn, takeSession } from './steps.ts'

// axe on the pages of users and of every sign-in: each step, dialog and failure by the shortest way.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)
const org = await app.newOrganization()
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

/** A user with a session that has come as far as the password leads. */
async function begun(more: object = {}) {
  const user = await addPerson(org, { firstname: 'Ada', lastname: 'Berg', ...more })
  const person = new Person(app.http)
  await person.signIn(user.username)
  return { user, person }
}

/** One with a second factor, signed in; `code` is the next of the device. */
async function enrolled() {
  const { user, person } = await begun()
  const { secret } = (await person.post('/totp')).json()
  app.secrets.add(secret)
  const [first, code] = codesOf(secret)
  const confirmed = await person.post('/totp/confirm', { code: first })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  const recoveryCodes: string[] = confirmed.json().recoveryCodes
  for (const one of recoveryCodes) app.secrets.add(one)
  return { user, person, code, recoveryCodes }
}

/** A browser with the session of the person. */
async function openAs({ cookie }: Person, path: string, options: BrowserContextOptions = {}) {
  const { page, context } = await openBrowser(options)
  await takeSession(context, app.base, cookie)
  await page.goto(path)
  return page
}

async function open(path: string): Promise<Page> {
  const { page } = await openBrowser()
  await page.goto(path)
  return page
}

/** In the settings of the second factor, for the recovery codes. */
async function enterShownSecret(page: Page): Promise<void> {
  const secret = (await page.getByTestId('totp-secret').textContent())!.replaceAll(' ', '')
  app.secrets.add(secret)
  await field(page, 'Code').fill(codesOf(secret)[0])
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await codes.first().waitFor()
  for (const code of await codes.allTextContents()) app.secrets.add(code)
}

async function activationLink(): Promise<string> {
  const more = { password: undefined, state: 'STAGED', firstname: 'Ada' }
  const user = await addPerson(org, more)
  await org.post(`/api/systemusers/${user.id}/state/activate`)
  return linkTo(app, user.email)
}

/** Each way ends at the state that is checked. */
const STATES: Record<string, () => Promise<Page>> = {
  async activation() {
    const page = await open(await activationLink())
    await heading(page, 'Welcome, Ada').waitFor()
    return page
  },
  async 'activation with a refused password'() {
    const page = await open(await activationLink())
    await choosePassword(page, 'short', 'Activate my account')
    await page.getByText('This password does not follow the rules below').waitFor()
    return page
  },
  async 'a link that was used'() {
    const page = await open(`/password?organization=${org.organizationId}&token=used`)
    await heading(page, 'This link no longer works').waitFor()
    return page
  },
  async 'sign-in'() {
    const page = await open('/login')
    await heading(page, 'Sign in').waitFor()
    return page
  },
  async 'sign-in refused'() {
    const page = await open('/login')
    await signIn(page, 'nobody@example.com')
    await page.getByRole('alert').waitFor()
    return page
  },
  async 'a forgotten password'() {
    const page = await open('/forgot-password')
    await heading(page, 'Forgot your password?').waitFor()
    return page
  },
  async 'the choice of an organization'() {
    const { user } = await begun()
    await addPerson(await app.newOrganization(), { email: user.email })
    const page = await open('/login')
    await signIn(page, user.email)
    await heading(page, 'Which organization?').waitFor()
    return page
  },
  async 'an expired password'() {
    const user = await addPerson(org)
    await org.post(`/api/systemusers/${user.id}/expire`)
    const person = new Person(app.http)
    await person.signIn(user.username)
    const page = await openAs(person, '/login', PHONE)
    await page.getByText('must have at least').waitFor()
    return page
  },
  async 'enrolment of a second factor'() {
    const { person } = await begun({ enable_user_portal_multifactor: true })
    const page = await openAs(person, '/login', PHONE)
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    return page
  },
  async 'recovery codes at the sign-in'() {
    const { person } = await begun({ enable_user_portal_multifactor: true })
    const page = await openAs(person, '/login', PHONE)
    await enterShownSecret(page)
    await heading(page, 'Your recovery codes').waitFor()
    return page
  },
  async 'a second factor'() {
    const { user } = await enrolled()
    const person = new Person(app.http)
    await person.signIn(user.username)
    const page = await openAs(person, '/login', PHONE)
    await heading(page, 'Your second factor').waitFor()
    return page
  },
  async 'a spent recovery code'() {
    const { user, recoveryCodes } = await enrolled()
    const [code] = recoveryCodes
    const first = new Person(app.http)
    await first.signIn(user.username)
    assert.equal((await first.post('/sign-in/totp', { code })).statusCode, 200)
    const person = new Person(app.http)
    await person.signIn(user.username)
    const page = await openAs(person, '/login', PHONE)
    await press(page, /Use a recovery code/)
    await field(page, 'Recovery code').fill(code!)
    await press(page, 'Continue')
    await page.getByRole('alert').waitFor()
    return page
  },
  async 'a sign-in that is asked for again'() {
    const { person } = await begun()
    const page = await openAs(person, '/login?continue=%2Fprofile&fresh=1')
    await heading(page, 'Confirm that it is you').waitFor()
    return page
  },

  async applications() {
    const { user, person } = await begun()
    const ids = []
    for (const displayLabel of ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta'])
      ids.push(await bindApplication(org, user.id, { displayLabel }))
    await person.put(`/applications/${ids[0]}`, { favourite: true })
    await person.put(`/applications/${ids[1]}`, { opened: true })
    const page = await openAs(person, '/')
    for (const name of ['Favourites', 'Recently used'])
      await page.getByRole('region', { name }).waitFor()
    return page
  },
  async profile() {
    const page = await openAs((await begun()).person, '/profile')
    await page.getByRole('heading', { name: 'Work' }).waitFor()
    return page
  },
  async 'profile on a phone'() {
    const page = await openAs((await begun()).person, '/profile', PHONE)
    await page.getByRole('heading', { name: 'Work' }).waitFor()
    return page
  },
  async security() {
    const page = await openAs((await begun()).person, '/security')
    await page.getByText('This device').waitFor()
    return page
  },
  async 'the account menu'() {
    const page = await openAs((await begun()).person, '/')
    await press(page, 'Account of Ada Berg')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    return page
  },
  async 'a change of the password'() {
    const page = await openAs((await begun()).person, '/security')
    await press(page, 'Change')
    await field(page, 'Current password').fill(PASSWORD)
    await field(page, 'New password').fill('Painted-Harbour-71')
    return page
  },
  async 'recovery codes in the portal'() {
    const page = await openAs((await begun()).person, '/security')
    await press(page, 'Set up')
    await enterShownSecret(page)
    return page
  },
  async 'a second factor that is on'() {
    const page = await openAs((await enrolled()).person, '/security')
    await page.getByText('Codes of an authenticator app').waitFor()
    return page
  },
  async 'a second factor that is removed without the app'() {
    const { person, recoveryCodes } = await enrolled()
    const page = await openAs(person, '/security', PHONE)
    await press(page, 'Remove')
    await press(page, /Use a recovery code/)
    await field(page, 'Recovery code').fill(recoveryCodes[0]!)
    return page
  },

  async 'an application of somebody else'() {
    const { url } = await addApplication(org)
    const page = await openAs((await begun()).person, url)
    await page.getByRole('heading').first().waitFor()
    assert.equal(page.url(), `${app.base}${url}`)
    return page
  },
  async 'signed out of every application'() {
    const { user, person } = await begun()
    const { sp, application } = await connect(app.base, org)
    await bind(org, application.id, 'user', user.id)
    const page = await openAs(person, `${sp.origin}/login`)
    await page.waitForURL(`${sp.origin}/acs`)
    await page.goto('/')
    await press(page, /Account of/)
    await press(page, 'Sign out')
    await heading(page, /signed out/i).waitFor()
    return page
  },
  async 'a request that cannot be answered'() {
    const client = await addClient(app, org)
    const config = await discover(client)
    const { url } = await begin(config, CALLBACK, { redirect_uri: 'https://evil.example/' })
    const page = await openAs((await begun()).person, url)
    await heading(page, 'Unable to sign in').waitFor()
    return page
  },
  async 'the question before a sign-out'() {
    const { issuer } = await addClient(app, org)
    const page = await openAs((await begun()).person, `${issuer}/logout`)
    await heading(page, 'Sign out?').waitFor()
    return page
  },

  async 'sign-in to the console refused'() {
    const page = await open('/console/sign-in')
    await signInToConsole(page, 'nobody@example.com', 'Wrong-Orchard-58')
    await page.getByRole('alert').waitFor()
    return page
  },
  async 'a forgotten password of the console'() {
    const page = await open('/console/forgot-password')
    await page.getByRole('button', { name: 'Send the link' }).waitFor()
    return page
  },
  async 'a refused password of the console'() {
    const { email } = await app.addAdministrator(org.organizationId)
    const asked = await app.http.inject({
      method: 'POST',
      url: '/auth/password/forgot',
      payload: { email },
    })
    assert.ok(asked.statusCode < 300, asked.body)
    await app.runDueJobs()
    const page = await open(await linkTo(app, email))
    await choosePassword(page, 'short', 'Save the password')
    await page.getByText('must have at least 12 characters').waitFor()
    return page
  },
  async 'a second factor of the console'() {
    const admin = await app.addAdministrator(org.organizationId)
    const session = await beginSession(app.http, admin)
    await session.confirm()
    const { secret } = (await session.post('/auth/totp')).json()
    app.secrets.add(secret)
    await session.post('/auth/totp/confirm', { code: codesOf(secret)[0] })
    const page = await open('/console/sign-in')
    await signInToConsole(page, admin.email, admin.password)
    await heading(page, 'Your second factor').waitFor()
    return page
  },
}

/** With colours of their own; the others are made of the same parts. */
const IN_DARK = [
  'a spent recovery code',
  'applications',
  'profile',
  'security',
  'an application of somebody else',
]

for (const [name, way] of Object.entries(STATES))
  test(name, async () => {
    const check = IN_DARK.includes(name) ? assertAccessibleInBoth : assertAccessible
    await check(await way(), name)
  })

test('signing out, and signed out of all but one', async () => {
  const { user, person } = await begun()
  const { sp, application } = await connect(app.base, org, { brokenLogout: true })
  await bind(org, application.id, 'user', user.id)
  const page = await openAs(person, `${sp.origin}/login`)
  await page.waitForURL(`${sp.origin}/acs`)
  await page.goto('/')
  await press(page, /Account of/)
  await press(page, 'Sign out')
  await heading(page, 'Signing out').waitFor()
  await assertAccessible(page, 'signing out')
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByText('may still be signed in to').waitFor()
  await assertAccessible(page, 'signed out of all but one')
})
