import { quoted } from '../../signon/index.ts'
import { Refusal } from '../refusal.ts'
import type { Message } from './message.ts'

/** How far clocks may differ, and how long a message may be on its way. */
const REQUEST_WINDOW_MS = 5 * 60_000

function checkVersion({ version }: Message): void {
  if (version !== '2.0')
    throw new Refusal(
      'version_unsupported',
      `The version is "${quoted(version)}"; only 2.0 is spoken here`,
    )
}

export function checkIssuer({ issuer }: Message, spEntityId: string): void {
  if (issuer !== spEntityId)
    throw new Refusal(
      'issuer_unknown',
      `The Issuer is "${quoted(issuer)}", the application's SP Entity ID (spEntityId) is "${spEntityId}"; they must be equal`,
    )
}

/** Absent is allowed; another address means that the message was made for somebody else (SAML Core §3.2.1). */
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
      `IssueInstant is ${new Date(issueInstant).toISOString()}, here it is ${new Date(now).toISOString()}; at most five minutes are allowed. Check the clock of the service provider.`,
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
