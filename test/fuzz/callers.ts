import { authorization, enrol } from '../enrol.ts'
import type { startApp } from '../harness.ts'
import type { Random } from '../insights/random.ts'
import { person } from '../people.ts'
import { PASSWORD, Person } from '../person.ts'
import type { FuzzRequest } from './requests.ts'
import { privateKey, publicKey, type World } from './world.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Headers = Record<string, string>

type Org = Awaited<ReturnType<App['newOrganization']>>

/**
 * A sign-out ends the session, so each round starts new ones. Random settings may prevent sign-in; then the routes
 * that need a session are skipped.
 */
async function openSessions(app: App, org: Org, world: World) {
  const { email, password } = await app.addAdministrator(org.organizationId)
  const res = await app.anonymous.post('/auth/sign-in', { email, password })
  const { csrfToken = '' } = res.json()
  const cookie = String(res.headers['set-cookie']).split(';')[0]!
  const { id, username } = (
    await org.post('/api/systemusers', person({ password: PASSWORD }))
  ).json()
  for (let at = 0; at < 6; at++) {
    const url = `/api/v2/applications/${world.own('/api/applications')}/associations`
    await org.post(url, { op: 'add', type: 'user', id })
  }
  const browser = new Person(app.http)
  await browser.signIn(username ?? 'nobody')
  return {
    console: { cookie, 'x-csrf-token': csrfToken } as Headers,
    portal: { cookie: browser.cookie, 'x-csrf-token': browser.csrfToken } as Headers,
  }
}

/** Each route is called by a suitable caller, so that most requests pass authorization. */
export async function callersOf(
  app: App,
  org: Org,
  provider: { apiKey: string },
  world: World,
  random: Random,
) {
  const { console, portal } = await openSessions(app, org, world)
  const systemId = await enrol(app.http, org, publicKey)
  world.spare(systemId)
  return ({ method, url }: FuzzRequest): Headers => {
    if (url.startsWith('/agent/')) {
      const date = new Date().toUTCString()
      return { date, authorization: authorization(systemId, privateKey, method, url, date) }
    }
    if (/^\/(auth\/users|saml2|oidc)\//.test(url)) return portal
    if (url.startsWith('/auth/')) return console
    const aboutProviders = /\/(providers|administrators|organizations)\b|^\/api\/users\b/.test(url)
    return {
      'x-api-key': random.chance(aboutProviders ? 0.5 : 0.02) ? provider.apiKey : org.apiKey,
    }
  }
}
