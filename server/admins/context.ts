import type { Db } from '../platform/db/index.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { SignInRules } from '../platform/sign-in-rules.ts'
import type { CredentialCache, CredentialTx } from './credential-cache.ts'

/** What the actions of this slice work with; made once by the composition root. */
export interface AdminContext {
  db: Db
  cache: CredentialCache
  sealer: Sealer
  postMail: PostMail
  send: SendJob
  publicUrl: string
  rules: SignInRules
}

/**
 * A transaction that changes what a key or token stands for: nothing remembered before it survives its commit. New
 * keys, passwords, second factors and sessions need none: no principal that is remembered depends on them.
 */
export const change = <T>(
  { db, cache }: AdminContext,
  tenantId: string,
  work: (tx: CredentialTx) => Promise<T>,
): Promise<T> => db.tx(tenantId, async (tx) => work(await cache.announce(tx)))
