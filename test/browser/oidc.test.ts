import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startListening } from '../listening.ts'
import { begin, discover, startCallback } from '../oidc/relying-party.ts'
import { addClient } from '../oidc/world.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { bind } from '../sso/world.ts'
import { assertAccessible } from './axe.ts'
import { startChromium } from './chromium.ts'
import { field, heading, press, signIn } from './steps.ts'

// OpenID Connect as users see it: a real browser between the portal and an independent relying party.

const app = await startListening()
const openBrowser = await startChromium(app.base)
app.secrets.add(PASSWORD)
const callback = await startCallback()
const arrived = new RegExp(`^${callback}`)

async function newWorld() {
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const client = await addClient(app, org, { redirectUris: [callback] })
  await bind(org, client.id, 'user', user.id)
  return { org, user, client, config: await discover(client) }
}

test('from the application: sign in once, and prove it again when that is asked for', async () => {
  const { user, config } = await newWorld()
  const { page, problems } = await openBrowser()
  const first = await begin(config, callback)
  await page.goto(first.url)
  await signIn(page, user.email)
  await page.waitForURL(arrived)
  assert.equal((await first.finish(page.url())).claims()?.email, user.email)

  const silent = await begin(config, callback, { prompt: 'none' })
  await page.goto(silent.url)
  await page.waitForURL(arrived)
  await silent.finish(page.url())

  for (const more of [{ prompt: 'login' }, { max_age: '0' }]) {
    const fresh = await begin(config, callback, more)
    await page.goto(fresh.url)
    await heading(page, 'Confirm that it is you').waitFor()
    await field(page, 'Password').fill(PASSWORD)
    await press(page, 'Continue')
    await page.waitForURL(arrived)
    await fresh.finish(page.url())
  }
  assert.deepEqual(problems, [])
})

test('a tile opens the application; a request that cannot be answered ends on a page of ours', async () => {
  const { user, client, config } = await newWorld()
  const { page, context, problems } = await openBrowser()
  await page.goto('/')
  await signIn(page, user.username)
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Wiki' }).click()
  const tab = await opened
  await tab.waitForURL(`${new URL(callback).origin}/`)

  const { url } = await begin(config, callback, { redirect_uri: 'https://evil.example/' })
  await page.goto(url)
  await heading(page, 'Unable to sign in').waitFor()
  assert.ok(page.url().startsWith(client.issuer))
  await assertAccessible(page, 'refused')
  assert.deepEqual(problems, [])
})
