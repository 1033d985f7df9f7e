import type { Db, Tx } from '../platform/db/index.ts'
import type { SendJob } from '../platform/jobs/definition.ts'
import type { PostMail } from '../platform/mail.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { SignInRules } from '../platform/sign-in-rules.ts'
import type { CredentialCache } from './credential-cache.ts'

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

/** A transaction that changes who may do what: nothing remembered before it survives its commit. */
export const change = <T>(
  { db, cache }: AdminContext,
  tenantId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  db.tx(tenantId, (tx) => {
    tx.afterCommit(() => cache.clear())
    return work(tx)
  })
