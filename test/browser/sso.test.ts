import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { connect } from '../sso/connect.ts'
import type { ProviderOptions } from '../sso/service-provider.ts'
import { bind, type Org } from '../sso/world.ts'
import { startChromium } from './chromium.ts'
import { field, heading, press, signIn } from './steps.ts'

// Single sign-on as users see it: a real browser between the portal and an independent service provider.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)

const connectTo = (org: Org, displayLabel: string, options: ProviderOptions = {}) =>
  connect(app.base, org, options, {}, { displayLabel })

for (const binding of ['HTTP-Redirect', 'HTTP-POST'] as const)
  test(`from the application by ${binding}: sign in once, and out of both`, async () => {
    const org = await app.newOrganization()
    const user = await addPerson(org)
    const { sp, application } = await connectTo(org, 'Wiki', { binding })
    await bind(org, application.id, 'user', user.id)
    const { page, problems } = await openBrowser()
    await page.goto(`${sp.origin}/login`)
    await signIn(page, user.email)
    await page.waitForURL(`${sp.origin}/acs`)
    assert.equal(sp.state.profile?.nameID, user.email)

    // The portal session exists: another application needs no sign-in.
    const { sp: second, application: other } = await connectTo(org, 'Tickets')
    await bind(org, other.id, 'user', user.id)
    await page.goto(`${second.origin}/login`)
    await page.waitForURL(`${second.origin}/acs`)
    assert.equal(second.state.profile?.nameID, user.email)

    await page.goto(`${sp.origin}/logout`)
    await page.waitForURL(new RegExp(`^${sp.origin}/slo`))
    assert.ok(second.state.loggedOut > 0, 'the other one was told')
    await page.goto('/')
    await heading(page, 'Sign in').waitFor()
    assert.deepEqual(problems, [])
  })

test('from a tile of the portal, and signed out of the application with the portal', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { sp, application } = await connectTo(org, 'Company wiki')
  await bind(org, application.id, 'user', user.id)
  const { page, context, problems } = await openBrowser()
  await page.goto('/')
  await signIn(page, user.username)
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Company wiki' }).click()
  const tab = await opened
  await tab.waitForURL(`${sp.origin}/acs`)
  assert.equal(sp.state.profile?.nameID, user.email)

  await bind(org, application.id, 'user', user.id, 'remove')
  await tab.goto(`${app.base}${application.url}`)
  await tab.getByRole('heading').first().waitFor()
  assert.ok(tab.url().startsWith(app.base), 'no longer bound: a page of ours, no assertion')

  await press(page, /Account of/)
  await press(page, 'Sign out')
  // Through the application, which confirms its logout.
  await heading(page, /signed out/i).waitFor()
  assert.equal(sp.state.loggedOut, 1)
  await page.goto('/')
  await heading(page, 'Sign in').waitFor()
  assert.deepEqual(problems, [])
})

test('one application that does not sign out keeps none of the others signed in', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { page, problems } = await openBrowser()
  const enter = async (label: string, options: ProviderOptions = {}) => {
    const { sp, application } = await connectTo(org, label, options)
    await bind(org, application.id, 'user', user.id)
    await page.goto(`${sp.origin}/login`)
    return sp
  }
  const broken = await enter('Broken', { brokenLogout: true })
  // The page says what the sign-in is for.
  await page.getByText('to continue to Broken').waitFor()
  await signIn(page, user.email)
  await page.waitForURL(`${broken.origin}/acs`)
  const wiki = await enter('Wiki')
  await page.waitForURL(`${wiki.origin}/acs`)
  await page.goto('/')
  await press(page, /Account of/)
  await press(page, 'Sign out')
  await heading(page, 'Signing out').waitFor()
  await heading(page, 'Signed out').waitFor()
  assert.equal(wiki.state.loggedOut, 1)
  await page.getByText('may still be signed in to').waitFor()
  assert.deepEqual(await page.getByRole('listitem').allTextContents(), ['Broken Sign out there'])
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('status of 500')),
    [],
  )
})

test('an application that requests ForceAuthn gets it, although the user is signed in', async () => {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const { sp, application } = await connectTo(org, 'Payroll', { saml: { forceAuthn: true } })
  await bind(org, application.id, 'user', user.id)
  const { page, problems } = await openBrowser()
  await page.goto('/')
  await signIn(page, user.username)
  await heading(page, 'Applications').waitFor()
  await page.goto(`${sp.origin}/login`)
  await heading(page, 'Confirm that it is you').waitFor()
  await field(page, 'Password').fill(PASSWORD)
  await press(page, 'Continue')
  await page.waitForURL(`${sp.origin}/acs`)
  assert.equal(sp.state.profile?.nameID, user.email)
  assert.deepEqual(problems, [])
})
