import { type Html, html } from '../platform/html.ts'
import type { Outcome } from './outcome.ts'

export interface Page {
  status: number
  body: string
  /** Where forms of this page may go. */
  formAction: string
  script: boolean
}

export const layout = (
  title: string,
  content: Html,
  { script = false, wide = false } = {},
): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/saml2/assets/page.css">
${script ? html`<script src="/saml2/assets/post-form.js" defer></script>` : undefined}
</head>
<body>
<main${wide ? html` class="wide"` : undefined}>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text

const messagePage = (
  { status, title, text, again }: Extract<Outcome, { binding: 'page' }>,
  requestId: string,
): Page => ({
  status,
  script: false,
  formAction: "'none'",
  body: layout(
    title,
    html`<p>${text}</p>
<div class="actions">
<a class="button" href="/">Go to the portal</a>
${again === undefined ? undefined : html`<a href="${again}">Sign in with another account</a>`}
</div>
${status < 400 ? undefined : html`<p class="quiet">Reference: ${requestId}</p>`}`,
  ),
})

const field = ([name, value]: [string, string]): Html =>
  html`<input type="hidden" name="${name}" value="${value}">
`

/**
 * Sends itself, and can be sent by hand. Browsers apply form-action to where the service provider redirects afterwards
 * as well, which is often another host of its own: so its scheme is allowed, not its host alone (decision 0009).
 */
function formPage({ action, fields }: Extract<Outcome, { binding: 'post' }>): Page {
  const { origin, protocol } = new URL(action)
  return {
    status: 200,
    script: true,
    formAction: `${origin} ${protocol}`,
    body: layout(
      'One moment',
      html`<p>You are being taken to the application.</p>
<form method="post" action="${action}">
${Object.entries(fields).map(field)}<button type="submit">Continue</button>
</form>`,
      { script: true },
    ),
  }
}

export const pageOf = (
  outcome: Exclude<Outcome, { binding: 'redirect' }>,
  requestId: string,
): Page => (outcome.binding === 'page' ? messagePage(outcome, requestId) : formPage(outcome))

/** Nothing inline, nothing from elsewhere, in nobody's frame. */
export const policyOf = ({ formAction, script }: Pick<Page, 'formAction' | 'script'>): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(script ? ["script-src 'self'"] : []),
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
