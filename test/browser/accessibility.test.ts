import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { signInToConsole } from '../console.ts'
import { startListening } from '../listening.ts'
import { connectionStates } from './accessibility/connection-states.ts'
import { consoleStates } from './accessibility/console-states.ts'
import { furnish, furnishProvider, startReport } from './accessibility/furnished.ts'
import { providerStates } from './accessibility/provider-states.ts'
import type { State } from './accessibility/state.ts'
import { assertAccessible, assertAccessibleInBoth } from './axe.ts'
import { startChromium } from './chromium.ts'
import { takeSession } from './steps.ts'

// axe on the console, in light and dark: every page of an organization with something on each, and what appears only on
// a way, such as dialogs and failures. accessibility-sign-in.test.ts has the pages of users and of the sign-in.

const app = await startListening()
const openBrowser = await startChromium(app.base)
const report = await startReport(app)
const world = await furnish(app, report)
const root = `/console/${world.org.organizationId}`
const VIEWPORT = { viewport: { width: 1280, height: 900 } }

/** A page of the console for the administrator, signed in. */
async function openConsole(admin: { email: string; password: string }, start: string) {
  const { page, problems, settled, context } = await openBrowser(VIEWPORT)
  const { headers } = await signInToConsole(app.http, admin)
  await takeSession(context, app.base, headers.cookie)
  await page.goto(start)
  return { page, problems, settled }
}

/** The part of the console's router that tells when a page is shown. */
interface Router {
  state: { status: string; resolvedLocation?: { href: string } }
}

/** Addresses of the same page, whatever object it shows. */
const kindOf = (address: string) =>
  address
    .replaceAll(/[0-9a-f]{24}|[0-9a-f-]{36}/g, '*')
    .replace(/\/catalogue\/[^/]+/, '/catalogue/*')

/** As a link does, without loading the document again. */
async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((address) => history.pushState({}, '', address), address)
  await page.waitForFunction((address) => {
    const { state } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__
    return state.status === 'idle' && address.endsWith(state.resolvedLocation?.href ?? '?')
  }, address)
}

/** Pages that must be reached, and what the organization has on them. */
const EXPECTED = {
  account: 'This device',
  'users/*': '+1 555 0100',
  'users/*/access': 'Wiki',
  'devices/*/users': 'Ada Berg',
  'devices/*/groups': 'By rule',
  'devices/*/settings': 'rack',
  'device-groups/*/membership': '1 device matches',
  'device-groups/*/users': 'Ada Berg',
  'groups/*/membership': 'users match',
  'groups/*/settings': 'operators',
  'groups/*/suggestions': 'Ada Berg',
  'commands/*': 'uptime',
  'command-runs': 'Uptime',
  'applications/*/provisioning': 'as they should be',
  'applications/*/provisioning?view=accounts': 'belongs to somebody else',
  'applications/*/provisioning?view=plan': 'Create',
  'applications/*/import': 'Finished',
  'settings/general': 'Remove logo',
  'settings/jobs': '1 mail held',
  'settings/webhooks/*': '200',
  'settings/workday': 'Ada Okafor',
  insights: 'User create',
}

/** Until the text is on the page, or in one of its fields. */
const shows = (page: Page, text: string) =>
  page.waitForFunction((text) => {
    const main = document.querySelector('main')!
    const fields = [...main.querySelectorAll<HTMLInputElement>('input, textarea')]
    return [main.textContent, ...fields.map(({ value }) => value)].some((one) => one.includes(text))
  }, text)

test('every page that links lead to', async () => {
  const { page, problems, settled } = await openConsole(world.org, root)
  await page.getByText('Needs attention').waitFor()
  const pages = new Map<string, string>()
  const add = (address: string) => {
    const { pathname, searchParams } = new URL(address, app.base)
    const view = searchParams.get('view')
    const page = pathname + (view ? `?view=${view}` : '')
    if (pathname.startsWith(root) && !pages.has(kindOf(page))) pages.set(kindOf(page), page)
  }
  const { ada, reviewed, saml } = world
  for (const start of [
    '',
    // Those with the most on their pages.
    `/users/${ada.id}`,
    `/groups/${reviewed}`,
    `/applications/${saml}`,
    '/account',
    '/applications/catalogue',
    '/applications/catalogue/saml2',
  ])
    add(root + start)
  const expected = new Map(
    Object.entries(EXPECTED).map(([path, text]) => [kindOf(`${root}/${path}`), text]),
  )
  // A map yields what is added on the way.
  for (const [kind, address] of pages) {
    await follow(page, address)
    await settled()
    await page.getByRole('heading', { level: 1 }).waitFor()
    const waiting = page.locator('main :is(.mantine-Skeleton-root, [aria-busy="true"])')
    await waiting.first().waitFor({ state: 'detached' })
    const text = expected.get(kind)
    if (text !== undefined)
      await shows(page, text).catch((cause) => {
        throw new Error(`${address} does not show "${text}"`, { cause })
      })
    expected.delete(kind)
    await assertAccessibleInBoth(page, address)
    const links = page.locator('a[href^="/console/"]')
    for (const href of await links.evaluateAll((all) => all.map((a) => a.getAttribute('href')!)))
      add(href)
  }
  assert.deepEqual([...expected], [], 'pages that no link leads to')
  assert.deepEqual(problems, [])
})

/** One after the other, in a browser that is signed in. */
async function testStates(
  states: State[],
  admin: { email: string; password: string },
  base: string,
): Promise<void> {
  const { page, problems } = await openConsole(admin, `${base}${states[0]!.at}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const { name, at, way, dark } of states)
    test(name, async () => {
      await follow(page, base + at)
      await way(page)
      await (dark ? assertAccessibleInBoth : assertAccessible)(page, name)
      await page.keyboard.press('Escape')
      assert.deepEqual(problems.splice(0), [])
    })
}

// Not the one that calls the API: its key is replaced.
const admin = await app.addAdministrator(world.org.organizationId, 'Administrator with Billing')
const states = [...connectionStates(world), ...consoleStates(world, admin.password, app.runDueJobs)]
await testStates(states, admin, root)

const { provider, organizations } = await furnishProvider(app, report)
await testStates(providerStates(organizations, report), provider, '/console')

const reader = await app.addAdministrator(world.org.organizationId, 'Read Only')
const workers = {
  name: 'workers for one who may only read',
  at: '/settings/workday',
  way: (page: Page) => page.getByRole('row', { name: /Ada Okafor/ }).waitFor(),
}
await testStates([workers], reader, root)

const runner = await app.addAdministrator(world.org.organizationId, 'Command Runner')
const home = {
  name: 'Home for one who may only run commands',
  at: '',
  way: (page: Page) => page.getByText('The pages that your role may see').waitFor(),
}
await testStates([home], runner, root)
