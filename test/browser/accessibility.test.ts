import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { enrol, newKeyPair } from '../enrol.ts'
import { startListening } from '../listening.ts'
import { addPerson } from '../person.ts'
import { addApplication, addGroup, bind, type Org } from '../sso/world.ts'
import { assertAccessibleInBoth } from './axe.ts'
import { startChromium } from './chromium.ts'
import { signInToConsole } from './console-steps.ts'

// axe on every page of the console, in light and dark. Journeys check what appears only on their way: dialogs, failures.

const app = await startListening()
const openBrowser = await startChromium(app.base)

async function addOneOfEach(org: Org): Promise<void> {
  const ada = await addPerson(org, { firstname: 'Ada', lastname: 'Berg' })
  const group = await addGroup(org, 'Engineering', ada.id)
  const { id } = await addApplication(org)
  await bind(org, id, 'user_group', group)
  await enrol(app.http, org, newKeyPair().publicKey)
  const made = [
    await org.post('/api/commands', { name: 'Uptime', command: '# how long\nuptime' }),
    await org.post('/api/v2/roles', { name: 'Auditor', scopes: ['users.readonly'] }),
    await org.post('/api/v2/service-accounts', {
      name: 'Reporting',
      roleId: '000000000000000000000005',
      authConfig: { authType: 'API_KEY' },
    }),
    await org.post('/insights/directory/v1/forwarders', {
      name: 'SIEM',
      url: 'http://127.0.0.1:9/events',
      format: 'json',
    }),
  ]
  for (const res of made) assert.ok(res.statusCode < 300, res.body)
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

test('every page that links lead to, in light and dark', async () => {
  const org = await app.newOrganization()
  await addOneOfEach(org)
  const { page, problems, settled } = await openBrowser({ viewport: { width: 1280, height: 900 } })
  const root = `/console/${org.organizationId}`
  await page.goto(root)
  await signInToConsole(page, org.email, org.password)
  await page.getByText('Needs attention').waitFor()
  const pages = new Map<string, string>()
  const add = (address: string) => {
    const { pathname, searchParams } = new URL(address, app.base)
    const view = searchParams.get('view')
    const page = pathname + (view ? `?view=${view}` : '')
    if (pathname.startsWith(root) && !pages.has(kindOf(page))) pages.set(kindOf(page), page)
  }
  for (const start of ['', '/applications/catalogue', '/applications/catalogue/saml2'])
    add(root + start)
  // A map yields what is added on the way.
  for (const address of pages.values()) {
    await follow(page, address)
    await settled()
    await page.getByRole('heading', { level: 1 }).waitFor()
    const waiting = page.locator('main :is(.mantine-Skeleton-root, [aria-busy="true"])')
    await waiting.first().waitFor({ state: 'detached' })
    await assertAccessibleInBoth(page, address)
    const links = page.locator('a[href^="/console/"]')
    for (const href of await links.evaluateAll((all) => all.map((a) => a.getAttribute('href')!)))
      add(href)
  }
  for (const page of [
    'users/*/access',
    'devices/*/users',
    'settings/webhooks/*',
    'settings/workday',
    'insights',
  ])
    assert.ok(pages.has(kindOf(`${root}/${page}`)), page)
  assert.deepEqual(problems, [])
})
