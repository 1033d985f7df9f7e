import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { startPage } from '../endpoint.ts'
import { startListening } from '../listening.ts'
import { begin, discover, startCallback } from '../oidc/relying-party.ts'
import { addClient } from '../oidc/world.ts'
import { addPerson, PASSWORD } from '../person.ts'
import { bind } from '../sso/world.ts'
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
  assert.deepEqual(problems, [])
})

test('a client that asks for a logout is told of it in a frame, and gets the browser back', async () => {
  const told: string[] = []
  const origin = await startPage((path) => {
    told.push(path)
    return 'signed out'
  })
  const bye = `${origin}/bye`
  const org = await app.newOrganization()
  const user = await addPerson(org)
  const client = await addClient(app, org, {
    redirectUris: [callback],
    frontchannelLogoutUri: `${origin}/front`,
    postLogoutRedirectUris: [bye],
  })
  await bind(org, client.id, 'user', user.id)
  const config = await discover(client)
  const { page, problems } = await openBrowser()
  const signOn = await begin(config, callback)
  await page.goto(signOn.url)
  await page.getByText('to continue to Wiki').waitFor()
  await signIn(page, user.email)
  await page.waitForURL(arrived)
  const tokens = await signOn.finish(page.url())
  app.secrets.add(tokens.id_token!)
  const logout = openid.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token!,
    post_logout_redirect_uri: bye,
    state: 'over',
  })
  await page.goto(logout.href)
  await page.waitForURL(`${bye}?state=over`)
  const query = new URLSearchParams({ iss: client.issuer, sid: String(tokens.claims()!.sid) })
  assert.ok(told.includes(`/front?${query}`), told.join())

  // Without an ID token the user decides.
  await page.goto('/')
  await signIn(page, user.email)
  await heading(page, 'Applications').waitFor()
  await page.goto(`${client.issuer}/logout`)
  await heading(page, 'Sign out?').waitFor()
  await press(page, 'Sign out')
  await heading(page, 'Signed out').waitFor()
  await page.goto('/')
  await heading(page, 'Sign in').waitFor()
  assert.deepEqual(problems, [])
})
