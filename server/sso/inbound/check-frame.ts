import { quoted } from '../../signon/index.ts'
import { Refusal } from '../refusal.ts'
import type { Message } from './message.ts'

/** Allows for clock skew and for the transit time of a message. */
const REQUEST_WINDOW_MS = 5 * 60_000

function checkVersion({ version }: Message): void {
  if (version !== '2.0')
    throw new Refusal(
      'version_unsupported',
      `The SAML version is "${quoted(version)}"; only 2.0 is supported`,
    )
}

export function checkIssuer({ issuer }: Message, spEntityId: string): void {
  if (issuer !== spEntityId)
    throw new Refusal(
      'issuer_unknown',
      `The Issuer is "${quoted(issuer)}", but the application's SP Entity ID (spEntityId) is "${spEntityId}"; they must be equal`,
    )
}

/** May be absent; any other URL means that the message was meant for another recipient (SAML Core §3.2.1). */
function checkDestination({ destination }: Message, ours: readonly string[]): void {
  if (destination === undefined || destination === '' || ours.includes(destination)) return
  const allowed = ours.join('" or "')
  throw new Refusal(
    'destination_wrong',
    `The Destination is "${quoted(destination)}", not "${allowed}"`,
  )
}

function checkIssueInstant({ issueInstant }: Message, now: number): void {
  if (Math.abs(now - issueInstant) > REQUEST_WINDOW_MS)
    throw new Refusal(
      'stale',
      `IssueInstant is ${new Date(issueInstant).toISOString()}, but the time here is ${new Date(now).toISOString()}; they may differ by at most five minutes. Check the clock of the service provider.`,
    )
}

export function checkFrame(
  message: Message,
  expected: { spEntityId: string; destinations: readonly string[]; now: number },
): void {
  checkVersion(message)
  checkIssuer(message, expected.spEntityId)
  checkDestination(message, expected.destinations)
  checkIssueInstant(message, expected.now)
}
