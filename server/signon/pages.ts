import { type Html, html } from '../platform/html.ts'
import type { Outcome } from './outcome.ts'

export interface Page {
  status: number
  body: string
  /** The form-action sources of the Content-Security-Policy. */
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
${again === undefined ? undefined : html`<a href="${again}">Sign in with a different account</a>`}
</div>
${status < 400 ? undefined : html`<p class="quiet">Reference: ${requestId}</p>`}`,
  ),
})

const field = ([name, value]: [string, string]): Html =>
  html`<input type="hidden" name="${name}" value="${value}">
`

/**
 * Submits itself; without scripts the user presses Continue. Browsers also apply form-action to redirects that follow,
 * and service providers often redirect to another of their hosts: so the whole scheme is allowed (decision 0009).
 */
function formPage({ action, fields }: Extract<Outcome, { binding: 'post' }>): Page {
  const { origin, protocol } = new URL(action)
  return {
    status: 200,
    script: true,
    formAction: `${origin} ${protocol}`,
    body: layout(
      'One moment',
      html`<p>Taking you to the application…</p>
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

/** No inline code, no other origins, no framing. */
export const policyOf = ({ formAction, script }: Pick<Page, 'formAction' | 'script'>): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(script ? ["script-src 'self'"] : []),
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
