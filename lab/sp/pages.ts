import { type Html, html } from '../../server/platform/html.ts'
import { layout, type Page } from '../../server/signon/index.ts'
import { type Addresses, acsOf, type Received } from './messages.ts'

const page = (title: string, content: Html): Page => ({
  status: 200,
  script: false,
  formAction: "'self'",
  body: layout(title, content, { wide: true }),
})

const row = ([name, value]: readonly [string, string]): Html =>
  html`<tr><th scope="row">${name}</th><td>${value}</td></tr>
`
const rows = (list: readonly (readonly [string, string])[]): Html =>
  html`<table><tbody>
${list.map(row)}</tbody></table>`

/** The values to register, and a form to start a sign-in. */
export const startPage = (addresses: Addresses): Page => ({
  ...page(
    'Test service provider',
    html`<p>Shows what an application receives when a user signs in. Create an application with these values,
give a user access to it, and sign in as that user.</p>
${rows([
  ['SP Entity ID', addresses.sp],
  ['ACS URL', acsOf(addresses)],
  ['Metadata', `${addresses.sp}/metadata`],
  ['Identity provider', addresses.idp],
])}
<h2>Sign in from here</h2>
<form method="get" action="${addresses.sp}/start">
<label for="application">Last part of the application's SSO URL</label>
<input id="application" name="application" required autocomplete="off">
<div class="actions">
<button type="submit">Sign in</button>
<button type="submit" name="force" value="1">Sign in again (ForceAuthn)</button>
<button type="submit" name="passive" value="1">Sign in silently (IsPassive)</button>
</div>
</form>`,
  ),
  // Browsers also apply it to the redirect that follows.
  formAction: `'self' ${new URL(addresses.idp).origin}`,
})

const person = ({ nameId, attributes }: Received): Html =>
  nameId === undefined
    ? html`<p>The response names no user, or the assertion is encrypted.</p>`
    : html`<h2>User</h2>
${rows([
  ['NameID', nameId.value],
  ['Format', nameId.format],
  ...attributes.map(([name, values]): [string, string] => [name, values.join(', ')]),
])}`

export const unreadablePage = (why: string): Page => ({
  ...page('No response', html`<p>${why}</p>`),
  status: 400,
})

export function receivedPage(
  { sp }: Addresses,
  received: Received,
  relayState: string | undefined,
): Page {
  const { status, signature, issuer, inResponseTo, facts, xml } = received
  const success = status[0]?.endsWith(':Success') ?? false
  return page(
    success ? 'Signed in' : 'Not signed in',
    html`${person(received)}
<h2>The response</h2>
${rows([
  ['Status', status.join(', ')],
  ['Signature', signature],
  ['Issuer', issuer],
  ['In response to', inResponseTo ?? 'none: started at the identity provider'],
  ['RelayState', relayState ?? ''],
  ...facts,
])}
<h2>XML</h2>
<pre>${xml}</pre>
<p><a href="${sp}">Back</a></p>`,
  )
}
