import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { newId } from '../../server/platform/ids.ts'
import type { Response, startApp } from '../harness.ts'
import { addPerson, Person } from '../person.ts'

type App = Awaited<ReturnType<typeof startApp>>
export type Org = Awaited<ReturnType<App['newOrganization']>>

export const SP = 'https://sp.example.com/metadata'
export const ACS = 'https://sp.example.com/acs?tenant=1&x=2'

/** Authentication claims have special members instead of a value. */
const asEntries = (values: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name === 'authClaimConfiguration' ? value : { value },
    ]),
  )

/** Creates an application as an administrator would, from setting values. */
export async function addApplication(org: Org, values: object = {}, more: object = {}) {
  const slug = `app-${newId()}`
  const res = await org.post('/api/applications', {
    name: 'saml2',
    displayLabel: 'Wiki',
    displayName: 'Wiki',
    ssoUrl: `http://localhost:8080/saml2/${slug}`,
    active: true,
    config: asEntries({ acsUrl: ACS, spEntityId: SP, ...values }),
    ...more,
  })
  assert.equal(res.statusCode, 200, res.body)
  const record = res.json()
  const certificate = Buffer.from(record.config.idpCertificate.value, 'base64').toString()
  return { id: record.id as string, slug, url: `/saml2/${slug}`, certificate, record }
}

export async function bind(
  org: Org,
  applicationId: string,
  type: 'user' | 'user_group',
  id: string,
  op = 'add',
) {
  const url = `/api/v2/applications/${applicationId}/associations`
  const res = await org.post(url, { op, type, id })
  assert.equal(res.statusCode, 204, res.body)
}

export async function addGroup(org: Org, name: string, memberId: string) {
  const { id } = (await org.post('/api/v2/usergroups', { name })).json()
  const member = { op: 'add', type: 'user', id: memberId }
  assert.equal((await org.post(`/api/v2/usergroups/${id}/members`, member)).statusCode, 204)
  return id as string
}

/** An organization with an application and a signed-in user who has access to it. */
export async function newWorld(app: App, values: object = {}) {
  const org = await app.newOrganization()
  const application = await addApplication(org, values)
  const user = await addPerson(org, { firstname: 'Ada', lastname: 'Lovelace' })
  await bind(org, application.id, 'user', user.id)
  const person = await new Person(app.http).enter(user.email)
  return { org, application, user, person }
}

interface RequestParts {
  id?: string
  issuer?: string
  issueInstant?: string
  attributes?: string
  content?: string
}

export const newRequestId = () => `_${randomBytes(8).toString('hex')}`

export const authnRequest = ({
  id = newRequestId(),
  issuer = SP,
  issueInstant = new Date().toISOString(),
  attributes = '',
  content = '',
}: RequestParts = {}) =>
  `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${issueInstant}" ${attributes}><saml:Issuer>${issuer}</saml:Issuer>${content}</samlp:AuthnRequest>`

export const query = (xml: string, relayState?: string, parameter = 'SAMLRequest') =>
  `${parameter}=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}${relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`}`

/** A stateless browser: each call passes its cookie. */
export function callsOf({ http }: Pick<App, 'http'>) {
  const withCookie = (cookie: string) => (cookie === '' ? {} : { cookie })
  return {
    visit: (url: string, cookie = '') => http.inject({ url, headers: withCookie(cookie) }),
    postTo: (url: string, fields: Record<string, string>, cookie = '') =>
      http.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...withCookie(cookie) },
        payload: new URLSearchParams(fields).toString(),
      }),
  }
}

export const base64 = (text: string) => Buffer.from(text).toString('base64')

/** The last attempts as the administrator sees them. */
export const attemptsOf = async (org: Org, applicationId: string) =>
  (await org.get(`/api/v2/applications/${applicationId}/sso/attempts`)).json()

const plain = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The form of a page, as a browser would submit it. */
export function formOf(body: string): { action: string; fields: Record<string, string> } {
  const action = /<form method="post" action="([^"]*)">/.exec(body)?.[1]
  assert.ok(action !== undefined, `no form in ${body}`)
  const fields = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    action: plain(action),
    fields: Object.fromEntries(fields.map(([, name, value]) => [plain(name!), plain(value!)])),
  }
}

/** The SAML response in an auto-submitting page. */
export function responseIn(res: Response) {
  assert.equal(res.statusCode, 200, res.body)
  const { action, fields } = formOf(res.body)
  const xml = Buffer.from(fields.SAMLResponse!, 'base64').toString()
  return { action, xml, relayState: fields.RelayState }
}

/** The content of the first element of that name. */
export const valueIn = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(xml)?.[1]
export const attributeIn = (xml: string, element: string, name: string): string | undefined =>
  new RegExp(`<${element} [^>]*?\\b${name}="([^"]*)"`).exec(xml)?.[1]
export const statusesIn = (xml: string) =>
  [...xml.matchAll(/StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:(\w+)"/g)].map((m) => m[1])
