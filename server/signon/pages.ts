import { type Html, html } from '../platform/html.ts'
import type { Outcome } from './outcome.ts'

export interface Page {
  status: number
  body: string
  /** The form-action sources of the Content-Security-Policy. */
  formAction: string
  script: boolean
  /** It contains frames of applications. */
  frames?: boolean
  /** It may be shown in a frame of our own. */
  framed?: boolean
}

/** The gate and the name, as on the pages of the portal. */
const BRAND = html`<header class="brand">
<svg width="36" height="36" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3b5bdb"/><path d="M7 25V14a9 9 0 0 1 18 0v11h-4.5V14a4.5 4.5 0 0 0-9 0v11Z" fill="#fff"/><circle cx="16" cy="19" r="1.8" fill="#fff"/></svg>
<span>Gatehouse</span>
</header>`

export const layout = (
  title: string,
  content: Html,
  { script, wide = false }: { script?: 'post-form.js' | 'logout.js'; wide?: boolean } = {},
): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Gatehouse</title>
<link rel="stylesheet" href="/saml2/assets/page.css">
${script && html`<script src="/saml2/assets/${script}"${script === 'post-form.js' ? html` defer` : undefined}></script>`}
</head>
<body>
${BRAND}
<main${wide ? html` class="wide"` : undefined}>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text

const messagePage = (
  { status, title, text, again, framed }: Extract<Outcome, { binding: 'page' }>,
  requestId: string,
): Page => ({
  status,
  script: false,
  framed: framed === true,
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
function formPage({ action, fields, framed }: Extract<Outcome, { binding: 'post' }>): Page {
  const { origin, protocol } = new URL(action)
  return {
    status: 200,
    script: true,
    framed: framed === true,
    formAction: `${origin} ${protocol}`,
    body: layout(
      'One moment',
      html`<p>Taking you to the application…</p>
<form method="post" action="${action}">
${Object.entries(fields).map(field)}<button type="submit">Continue</button>
</form>`,
      { script: 'post-form.js' },
    ),
  }
}

export const pageOf = (
  outcome: Exclude<Outcome, { binding: 'redirect' }>,
  requestId: string,
): Page => (outcome.binding === 'page' ? messagePage(outcome, requestId) : formPage(outcome))

/** No inline code, no other origins, no framing by others. */
export const policyOf = ({
  formAction,
  script,
  frames,
  framed,
}: Omit<Page, 'status' | 'body'>): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    ...(script ? ["script-src 'self'"] : []),
    // Frames follow redirects to applications, on any host.
    ...(frames ? ["connect-src 'self'", "frame-src 'self' https: http:"] : []),
    `form-action ${formAction}`,
    "base-uri 'none'",
    `frame-ancestors ${framed ? "'self'" : "'none'"}`,
  ].join('; ')
