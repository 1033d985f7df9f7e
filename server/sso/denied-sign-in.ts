import {
  findSsoApplication,
  findSsoApplicationById,
  type SsoApplication,
} from '../applications/index.ts'
import type { Listener } from '../platform/hooks.ts'
import type { DeniedSignIn } from '../portal/index.ts'
import { type Attempt, recordAttempt } from '../signon/index.ts'
import type { UserActor } from '../users/index.ts'
import type { SsoSliceContext } from './context.ts'
import { Refusal } from './refusal.ts'
import { findWaiting } from './sign-on.ts'

type Finder = Pick<SsoSliceContext, 'db' | 'sealer'>
type Destination = Pick<Attempt, 'idpInitiated' | 'request'> & { application: SsoApplication }

/** A pending request that waits for the sign-in. */
async function waitingAt(context: Finder, text: string): Promise<Destination | undefined> {
  const waiting = await findWaiting(context, text)
  if (waiting?.ask.kind !== 'sign-in') return undefined
  const { token, applicationId, ask } = waiting
  const application = await findSsoApplicationById(context, token.organizationId, applicationId)
  return application && { application, idpInitiated: false, request: ask.xml }
}

/** An application opened from the portal (IdP-initiated). */
async function openedAt(context: Finder, slug: string): Promise<Destination | undefined> {
  const application = await findSsoApplication(context, slug)
  return application && { application, idpInitiated: true }
}

const WAITING = /^\/saml2\/resume\/([^/?#]+)$/
const OPENED = /^\/saml2\/([^/?#]+)(?:$|\?)/

async function destinationOf(
  context: Finder,
  continueTo: string,
): Promise<Destination | undefined> {
  const token = WAITING.exec(continueTo)?.[1]
  if (token !== undefined) return waitingAt(context, token)
  const slug = OPENED.exec(continueTo)?.[1]
  return slug === undefined ? undefined : openedAt(context, slug)
}

/** The application that a sign-in leads to. */
export const samlDestination = (context: Finder) => async (continueTo: string) =>
  (await destinationOf(context, continueTo))?.application

/** A sign-in denied at the portal still counts as an attempt on the application. */
export const recordDeniedSignIn =
  (context: SsoSliceContext): Listener<UserActor, DeniedSignIn> =>
  async (tx, { client }, { user: { organization_id, id, username }, continueTo, why }) => {
    const destination = await destinationOf(context, continueTo)
    if (!destination || destination.application.organizationId !== organization_id) return
    const attempt: Attempt = {
      kind: 'sign-in',
      client,
      user: { id, username },
      refusal: new Refusal('user_state', `The ${why}`),
      ...destination,
    }
    await recordAttempt(tx, attempt)
  }
