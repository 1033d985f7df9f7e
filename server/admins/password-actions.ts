import { recordEvent } from '../insights/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { invalid } from '../platform/errors.ts'
import { clearFailures, countFailure, type Limit } from '../platform/failures.ts'
import { fromJobClient, toJobClient } from '../platform/jobs/client.ts'
import { sha256 } from '../platform/secrets.ts'
import { takeResetTurn } from '../platform/sign-in-rules.ts'
import { accountSubject, actorOf, attempt } from './attempts.ts'
import type { AdminContext } from './context.ts'
import { type MailReset, mailResetJob } from './job-definitions.ts'
import { mailPasswordLink } from './password-links.ts'
import { checkPassword, checkPasswordRules, hashPassword } from './passwords.ts'
import { resourceOf } from './records.ts'
import {
  deletePasswordResetsOf,
  deleteSessionsOf,
  findPasswordReset,
  takePasswordReset,
} from './session-store.ts'
import {
  type AdministratorRow,
  findAdministratorByEmail,
  findAdministratorById,
  savePassword,
} from './store.ts'

/** Limit on mails to one address, against mail flooding. */
const MAILS: Limit = { failures: 5, windowMinutes: 60, blockMinutes: 60 }

/** Only counts the request and sends a job, so that the response time does not reveal whether the account exists. */
export async function requestPasswordReset(
  context: AdminContext,
  client: Client,
  email: string,
): Promise<void> {
  const { db, send, rules } = context
  await takeResetTurn(db, rules, client)
  const requests = await countFailure(db, `reset ${accountSubject(email)}`, MAILS)
  if (requests && requests.failures > MAILS.failures) return
  await db.tx(null, (tx) => send(tx, mailResetJob, { email, ...toJobClient(client) }))
}

export async function mailReset(
  context: AdminContext,
  { email, ...client }: MailReset,
): Promise<void> {
  const row = await findAdministratorByEmail(context.db, email.trim())
  if (!row || row.suspended) return
  const actor = actorOf(row, fromJobClient(client))
  await context.db.tx(actor.organizationId, async (tx) => {
    await mailPasswordLink(context, tx, row, 'reset')
    await recordEvent(tx, actor, {
      event_type: 'admin_password_reset_request',
      resource: resourceOf(row),
    })
  })
}

/** Saves a new password and ends every session but that of the request. */
async function setPassword(
  tx: Tx,
  row: AdministratorRow,
  client: Client,
  passwordHash: string,
  keep: Buffer | null,
): Promise<void> {
  const actor = actorOf(row, client)
  await savePassword(tx, row.id, passwordHash)
  await deletePasswordResetsOf(tx, row.id)
  await deleteSessionsOf(tx, row.id, keep)
  await clearFailures(tx, [accountSubject(row.email)])
  await recordEvent(tx, actor, {
    event_type: 'admin_password_change',
    resource: resourceOf(row),
    changes: [{ field: 'password' }],
  })
}

export async function resetPassword(
  context: AdminContext,
  client: Client,
  token: string,
  password: string,
): Promise<void> {
  const bad = () =>
    invalid('link_invalid', 'token: this link has been used or has expired; request a new one')
  // Check first, so that a weak password does not consume the link.
  const owner = await findPasswordReset(context.db, sha256(token))
  const row = owner && (await findAdministratorById(context.db, owner.administrator_id))
  if (!row) throw bad()
  checkPasswordRules(password, row.email)
  const passwordHash = await hashPassword(password)
  await context.db.tx((row.provider ?? row.organization)!, async (tx) => {
    if (!(await takePasswordReset(tx, sha256(token)))) throw bad()
    await setPassword(tx, row, client, passwordHash, null)
  })
}

export async function changePassword(
  context: AdminContext,
  caller: Caller,
  current: string,
  password: string,
): Promise<void> {
  const find = () => findAdministratorById(context.db, caller.id)
  const row = await attempt(context, caller.client, caller.initiator.email!, find, async (row) =>
    (await checkPassword(row?.password_hash ?? null, current)) && row
      ? { proven: row, done: false }
      : { failed: 'invalid credentials', guessed: true },
  )
  checkPasswordRules(password, row.email)
  const passwordHash = await hashPassword(password)
  await context.db.tx(caller.homeId, (tx) =>
    setPassword(tx, row, caller.client, passwordHash, caller.sessionHash ?? null),
  )
}
