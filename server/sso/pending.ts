import type { SsoApplication } from '../applications/index.ts'
import { isId } from '../platform/ids.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import type { SsoSliceContext } from './context.ts'
import type { PendingRequest } from './sign-in-request.ts'
import { findPending, insertPending, trimPending } from './store.ts'

/** As long as it may take to sign in, with a second factor and a forgotten password. */
export const PENDING_SECONDS = 30 * 60

/** A secret that names its tenant, so that what it opens is found under row-level security. */
export interface Token {
  text: string
  organizationId: string
  hash: Buffer
}

export function newToken(organizationId: string): Token {
  const secret = randomToken()
  return { text: `${organizationId}.${secret}`, organizationId, hash: sha256(secret) }
}

export function readToken(text: string): Token | undefined {
  const [organizationId = '', secret = ''] = text.split('.')
  if (!isId(organizationId) || secret === '') return undefined
  return { text, organizationId, hash: sha256(secret) }
}

export const resumePath = ({ text }: Token): string => `/saml2/resume/${text}`

/**
 * For each application, now and then. Anybody can send requests that wait: beyond this many those go first that have
 * waited longest, as most people take less than a minute to sign in.
 */
const MAX_PENDING = 5000
const TRIM_ONE_IN = 64

/** Keeps what was asked for until the browser comes back; tells where to. */
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

export async function peekPending({ db }: SsoSliceContext, { organizationId, hash }: Token) {
  const row = await findPending(db.tenant(organizationId), organizationId, hash)
  // Written by keepPending alone.
  return row && { applicationId: row.application_id, ask: row.request as PendingRequest }
}
