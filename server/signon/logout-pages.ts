import { html } from '../platform/html.ts'
import { isLeft, isSettled, logoutPath } from './logout.ts'
import type { LogoutState, Party } from './logout-context.ts'
import { layout, type Page } from './pages.ts'
import type { Token } from './token.ts'

/** How long applications have to respond. */
const SECONDS = 8

const wordOf = (party: Party): string => {
  if (!isSettled(party)) return 'Signing out…'
  return isLeft(party) ? 'Not signed out' : 'Signed out'
}

/**
 * A frame for each application; the script follows their progress and moves on. The sandbox keeps applications from
 * taking over the window, which many do when they find themselves in a frame.
 */
export function logoutPage(token: Token, { parties }: LogoutState): Page {
  const path = logoutPath(token)
  const rows = parties.map(
    (party, at) =>
      html`<li data-at="${String(at)}"><span>${party.label}</span> <span class="quiet">${wordOf(party)}</span></li>
`,
  )
  const frames = parties.flatMap(({ channel, state, label }, at) =>
    channel === 'front' && state === 'waiting'
      ? [
          html`<iframe src="${path}/${String(at)}" data-at="${String(at)}" title="Sign-out of ${label}" sandbox="allow-scripts allow-forms allow-same-origin" tabindex="-1" aria-hidden="true"></iframe>
`,
        ]
      : [],
  )
  return {
    status: 200,
    script: true,
    frames: true,
    formAction: "'none'",
    body: layout(
      'Signing out',
      html`<p>You are signed out here. Your applications are signing you out as well.</p>
<ul class="parties" data-path="${path}" data-seconds="${String(SECONDS)}" aria-live="polite">
${rows}</ul>
<div class="actions"><a class="button" href="${path}/done">Continue</a></div>
<div class="frames">
${frames}</div>`,
      { script: 'logout.js' },
    ),
  }
}

/** Applications that could not be reached, with a way to sign out of each by hand. */
export function resultPage(token: Token, { parties }: LogoutState, hasReturn: boolean): Page {
  const left = parties.map((party, at) => ({ party, at })).filter(({ party }) => isLeft(party))
  const rows = left.map(
    ({ party: { label, channel }, at }) =>
      html`<li><span>${label}</span> ${
        channel === 'front'
          ? html`<a href="${logoutPath(token)}/${String(at)}" target="_blank" rel="noopener">Sign out there</a>`
          : html`<span class="quiet">${channel === 'none' ? 'Has no sign-out' : 'Not reached'}</span>`
      }</li>
`,
  )
  return {
    status: 200,
    script: false,
    formAction: "'none'",
    body: layout(
      'Signed out',
      left.length === 0
        ? html`<p>You are signed out here and in your applications.</p>
<div class="actions"><a class="button" href="/">Go to the portal</a></div>`
        : html`<p>You are signed out here, but may still be signed in to:</p>
<ul class="parties">
${rows}</ul>
<p class="quiet">To be sure, close your browser.</p>
<div class="actions">${
            hasReturn
              ? html`<a class="button" href="${logoutPath(token)}/return">Go back to the application</a>`
              : html`<a class="button" href="/">Go to the portal</a>`
          }</div>`,
    ),
  }
}
