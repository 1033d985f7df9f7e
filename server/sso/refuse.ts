import type { SsoApplication } from '../applications/index.ts'
import { sha256 } from '../platform/secrets.ts'
import { signInAddress } from '../portal/index.ts'
import {
  type Attempt,
  mayRecord,
  type Outcome,
  recordAttempt,
  type Token,
  type Visitor,
} from '../signon/index.ts'
import type { UserRow } from '../users/index.ts'
import type { SsoSliceContext } from './context.ts'
import { issueError } from './issue.ts'
import { refusalPage } from './outcome-pages.ts'
import { PENDING_SECONDS, resumePath } from './pending.ts'
import type { Refusal } from './refusal.ts'
import type { SignInRequest } from './sign-in-request.ts'
import { noteAnswered, takePending } from './store.ts'

/** A request is accepted for ten minutes, then may wait for a sign-in. */
export const ANSWERED_SECONDS = 600 + PENDING_SECONDS

export const requestHash = (requestId: string): Buffer => sha256(requestId)

/** The facts known when a sign-in is refused; the earlier, the fewer. */
export interface Situation {
  ask?: SignInRequest | undefined
  token?: Token | undefined
  user?: UserRow | undefined
  idpInitiated: boolean
  request?: string | undefined
}

const again = ({ slug }: SsoApplication, token: Token | undefined): string =>
  signInAddress(token ? resumePath(token) : `/saml2/${slug}`, { fresh: true })

/** Reports the refusal to the service provider if it is known and wants that, otherwise to the user. */
export async function refuse(
  { db }: SsoSliceContext,
  { client }: Visitor,
  application: SsoApplication,
  refusal: Refusal,
  { ask, token, user, idpInitiated, request = ask?.xml }: Situation,
): Promise<Outcome> {
  const { status, always } = refusal.kind
  const answers = ask && status && (always || application.config.spErrorFlow)
  const response = answers ? await issueError(application, ask, status, Date.now()) : undefined
  const { organizationId, id } = application
  const attempt: Attempt = {
    kind: 'sign-in',
    application,
    client,
    idpInitiated,
    user,
    refusal,
    request,
    response: response === undefined ? undefined : () => response,
  }
  const recorded = mayRecord(attempt)
  await db.tx(organizationId, async (tx) => {
    if (recorded) await recordAttempt(tx, attempt)
    if (response === undefined) return
    if (token) await takePending(tx, organizationId, token.hash)
    // Refusing the same request twice is harmless, so the ID is stored only within the rate limit.
    if (recorded && ask?.requestId !== undefined) {
      const hash = requestHash(ask.requestId)
      await noteAnswered(tx, organizationId, {
        applicationId: id,
        hash,
        seconds: ANSWERED_SECONDS,
      })
    }
  })
  if (response === undefined || !ask) return refusalPage(refusal, again(application, token))
  return responseForm(ask, response)
}

export const responseForm = ({ acsUrl, relayState }: SignInRequest, xml: string): Outcome => ({
  binding: 'post',
  action: acsUrl,
  fields: {
    SAMLResponse: Buffer.from(xml).toString('base64'),
    ...(relayState !== undefined && { RelayState: relayState }),
  },
})
