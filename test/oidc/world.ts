import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Response, startApp } from '../harness.ts'
import { addPerson, Person } from '../person.ts'
import { bind } from '../sso/world.ts'

type App = Awaited<ReturnType<typeof startApp>>
export type Org = Awaited<ReturnType<App['newOrganization']>>

export const CALLBACK = 'https://wiki.example.com/callback?tenant=1'

export interface Client {
  id: string
  clientId: string
  clientSecret: string | undefined
  issuer: string
  /** Path of the endpoints, on any host. */
  path: string
}

/** An application as an administrator creates it, with its settings. */
export async function addClient(app: App, org: Org, settings: object = {}): Promise<Client> {
  const made = await org.post('/api/applications', {
    name: 'oidc',
    displayLabel: 'Wiki',
    active: true,
  })
  assert.equal(made.statusCode, 200, made.body)
  const { id } = made.json()
  const oidc = { redirectUris: [CALLBACK], ...settings }
  const res = await org.post(`/api/v2/applications/${id}/sso`, { oidc })
  assert.equal(res.statusCode, 200, res.body)
  const { clientId, clientSecret, issuer } = res.json().oidc
  if (clientSecret) app.secrets.add(clientSecret)
  return { id, clientId, clientSecret, issuer, path: `/oidc/${clientId}` }
}

/** An organization with a client and a signed-in user who has access to it. */
export async function newWorld(app: App, settings: object = {}) {
  const org = await app.newOrganization()
  const client = await addClient(app, org, settings)
  const user = await addPerson(org, { firstname: 'Ada', lastname: 'Lovelace' })
  await bind(org, client.id, 'user', user.id)
  const person = await new Person(app.http).enter(user.email)
  return { org, client, user, person }
}

export const newPkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, asked: { code_challenge: challenge, code_challenge_method: 'S256' } }
}

/** Undefined members are not sent. */
export type Fields = Record<string, string | undefined>
const encoded = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()

export const authorizeUrl = ({ path, clientId }: Client, more: Fields = {}): string =>
  `${path}/authorize?${encoded({
    client_id: clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    state: 'the state',
    ...more,
  })}`

/** The parameters of a redirect to the client. */
export function answerIn(res: Response): Record<string, string> {
  assert.equal(res.statusCode, 303, res.body)
  const location = String(res.headers.location)
  assert.ok(location.startsWith(`${CALLBACK}&`), location)
  return Object.fromEntries(new URLSearchParams(location.slice(CALLBACK.length + 1)))
}

export function callsOf(app: Pick<App, 'http' | 'secrets'>) {
  const visit = (url: string, { cookie }: { cookie: string } = { cookie: '' }) =>
    app.http.inject({ url, headers: cookie === '' ? {} : { cookie } })

  /** A code for the signed-in user. */
  const codeFor = async (client: Client, person: Person, more: Fields = {}): Promise<string> => {
    const { code } = answerIn(await visit(authorizeUrl(client, more), person))
    assert.ok(code, 'there is no code')
    app.secrets.add(code)
    return code
  }

  const post = (path: string, fields: Fields, headers: Record<string, string> = {}) =>
    app.http.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: encoded(fields),
    })

  /** Calls the token endpoint, with the secret, if any, in the header. */
  const tokens = async ({ path, clientId, clientSecret }: Client, fields: Fields) => {
    const res = clientSecret
      ? await post(`${path}/token`, fields, { authorization: basic(clientId, clientSecret) })
      : await post(`${path}/token`, { client_id: clientId, ...fields })
    if (res.statusCode === 200)
      for (const name of ['access_token', 'refresh_token', 'id_token'])
        if (res.json()[name]) app.secrets.add(res.json()[name])
    return res
  }

  const exchange = (client: Client, code: string, more: Fields = {}) =>
    tokens(client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more })
  const refresh = (client: Client, refresh_token: string, more: Fields = {}) =>
    tokens(client, { grant_type: 'refresh_token', refresh_token, ...more })
  const userinfo = ({ path }: Client, token: string) =>
    app.http.inject({ url: `${path}/userinfo`, headers: { authorization: `Bearer ${token}` } })

  return { visit, codeFor, post, tokens, exchange, refresh, userinfo }
}

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** The claims of a token, unverified. */
export const claimsIn = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

export const ssoEvents = async (org: Org) =>
  (await org.events()).filter(({ event_type }) => event_type === 'sso_auth')
