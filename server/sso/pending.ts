import type { SsoApplication } from '../applications/index.ts'
import { newToken, type Token } from '../signon/index.ts'
import type { SsoSliceContext } from './context.ts'
import type { PendingRequest } from './sign-in-request.ts'
import { findPending, insertPending, trimPending } from './store.ts'

/** Long enough to sign in with a second factor after resetting a forgotten password. */
export const PENDING_SECONDS = 30 * 60

export const resumePath = ({ text }: Token): string => `/saml2/resume/${text}`

/**
 * Per application, enforced occasionally. Anyone can create pending requests: above this many the oldest are dropped, as
 * most users take less than a minute to sign in.
 */
const MAX_PENDING = 5000
const TRIM_ONE_IN = 64

/** Stores the request until the browser comes back; returns the path to come back to. */
export async function keepPending(
  { db }: SsoSliceContext,
  { organizationId, id }: SsoApplication,
  request: PendingRequest,
): Promise<string> {
  const token = newToken(organizationId)
  const tenant = db.tenant(organizationId)
  await insertPending(tenant, organizationId, {
    hash: token.hash,
    applicationId: id,
    request,
    seconds: PENDING_SECONDS,
  })
  if (Math.random() * TRIM_ONE_IN < 1) await trimPending(tenant, organizationId, id, MAX_PENDING)
  return resumePath(token)
}

export async function peekPending(
  { db }: Pick<SsoSliceContext, 'db'>,
  { organizationId, hash }: Token,
) {
  const row = await findPending(db.tenant(organizationId), organizationId, hash)
  // Written by keepPending alone.
  return row && { applicationId: row.application_id, ask: row.request as PendingRequest }
}
