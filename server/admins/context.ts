import type { Db } from '../platform/db/index.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { Limits } from '../platform/limits.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { SignInRules } from '../platform/sign-in-rules.ts'
import type { CredentialCache, CredentialTx } from './credential-cache.ts'

/** Dependencies of this slice's actions; built once by the composition root. */
export interface AdminContext {
  db: Db
  limits: Limits
  cache: CredentialCache
  sealer: Sealer
  postMail: PostMail
  send: SendJob
  publicUrl: string
  rules: SignInRules
}

/**
 * A transaction that changes the principal of a key or token: its commit clears the credential cache. New keys,
 * passwords, second factors and sessions need none: no cached principal depends on them.
 */
export const change = <T>(
  { db, cache }: AdminContext,
  tenantId: string,
  work: (tx: CredentialTx) => Promise<T>,
): Promise<T> => db.tx(tenantId, async (tx) => work(await cache.announce(tx)))
