import { recordEvent } from '../insights/index.ts'
import { findOrganization, settingsOf } from '../organizations/index.ts'
import type { Caller, Client } from '../platform/caller.ts'
import type { Queryable, Tx } from '../platform/db.ts'
import { invalid, throttled, unauthenticated } from '../platform/errors.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import { type AdminContext, change } from './context.ts'
import { mailPasswordLink } from './password-links.ts'
import { checkPassword, checkPasswordRules, hashPassword } from './passwords.ts'
import {
  blockedSeconds,
  clearFailures,
  countFailure,
  deletePasswordResetsOf,
  deleteSession,
  deleteSessionsOf,
  findPasswordReset,
  insertSession,
  type SessionRow,
  takePasswordReset,
} from './session-store.ts'
import {
  type AdministratorRow,
  findAdministratorByEmail,
  findAdministratorById,
  lockAdministratorById,
  savePassword,
  saveTotp,
} from './store.ts'
import {
  hashRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  totpAddress,
  verifyTotp,
} from './totp.ts'

const MINUTE = 60_000
const SESSION_HOURS = 12
/** An account is locked after this many failures; an address, which may be shared, after more. */
const ACCOUNT = { limit: 5, windowMinutes: 15, blockMinutes: 15 }
/** Mails to one address, so that nobody can be flooded through us. */
const RESET = { limit: 5, windowMinutes: 60, blockMinutes: 60 }
const ADDRESS = { limit: 50, windowMinutes: 15, blockMinutes: 15 }

/** Under which failures of an account are counted. */
export const accountSubject = (email: string) => `account ${email.trim().toLowerCase()}`
const addressOf = (client: Client) => `address ${client.ip}`
const refused = () =>
  unauthenticated('sign_in_refused', 'The e-mail address, the password or the code is wrong')
const sealContext = (id: string) => `administrator ${id} totp`

/** Before there is a session, events are still told as the administrator's own. */
function actorOf(row: AdministratorRow, client: Client, mfa = false): Caller {
  const homeId = (row.provider ?? row.organization)!
  return {
    initiator: { type: 'admin', id: row.id, email: row.email },
    id: row.id,
    authMethod: 'session',
    scopes: new Set(),
    roleNames: [],
    providerId: row.provider,
    homeId,
    organizationIds: new Set(),
    mfa,
    expiresAt: null,
    organizationId: homeId,
    tenantIds: [homeId],
    client,
  }
}

export interface SignedIn {
  /** Goes into the cookie; only its hash is stored. */
  token: string
  csrfToken: string
  /** What is still owed before the session may do anything else. */
  owed: SessionRow['mfa_owed']
  expiresAt: string
}

async function openSession(
  tx: Queryable,
  row: AdministratorRow,
  client: Client,
  owed: SessionRow['mfa_owed'],
  mfa: boolean,
): Promise<SignedIn> {
  const token = randomToken()
  const csrfToken = randomToken()
  // Whoever has given only the password gets minutes, not a working day.
  const expiresAt = new Date(
    Date.now() + (owed === null ? SESSION_HOURS * 60 : 10) * MINUTE,
  ).toISOString()
  await insertSession(tx, {
    hash: sha256(token),
    administrator_id: row.id,
    csrf_hash: sha256(csrfToken),
    mfa_owed: owed,
    mfa,
    client_ip: client.ip,
    useragent: client.userAgent ?? null,
    expires_at: expiresAt,
  })
  return { token, csrfToken, owed, expiresAt }
}

/** Counts the failure, tells it, and locks the account when it was one too many. */
async function fail(
  context: AdminContext,
  row: AdministratorRow | undefined,
  email: string,
  client: Client,
  message: string,
): Promise<never> {
  await countFailure(
    context.db,
    addressOf(client),
    ADDRESS.limit,
    ADDRESS.windowMinutes,
    ADDRESS.blockMinutes,
  )
  const account = accountSubject(email)
  const counted = await countFailure(
    context.db,
    account,
    ACCOUNT.limit,
    ACCOUNT.windowMinutes,
    ACCOUNT.blockMinutes,
  )
  if (row) {
    const actor = actorOf(row, client)
    const resource = { type: 'admin', id: row.id, email: row.email }
    await context.db.tx(actor.organizationId, async (tx) => {
      await recordEvent(tx, actor, {
        event_type: 'admin_login_attempt',
        resource,
        success: false,
        error_message: message,
      })
      if (counted?.blocked_until && counted.failures === ACCOUNT.limit) {
        await recordEvent(tx, actor, { event_type: 'admin_lockout', resource, success: false })
      }
    })
  }
  throw refused()
}

async function checkThrottle(context: AdminContext, email: string, client: Client): Promise<void> {
  const seconds = await blockedSeconds(context.db, [accountSubject(email), addressOf(client)])
  if (seconds > 0) {
    throw throttled(
      'sign_in_blocked',
      `Too many failed attempts; try again in ${Math.ceil(seconds / 60)} minutes`,
      { retryAfter: seconds },
    )
  }
}

/** Owed by the administrator's own switch or by the organization's rule. */
async function owedFactor(db: Queryable, row: AdministratorRow): Promise<SessionRow['mfa_owed']> {
  if (row.totp_secret !== null) return 'totp'
  if (row.enable_multi_factor) return 'enrollment'
  const organization =
    row.organization === null ? undefined : await findOrganization(db, row.organization)
  return organization && settingsOf(organization).requireAdminMFA === true ? 'enrollment' : null
}

export async function signIn(
  context: AdminContext,
  client: Client,
  email: string,
  password: string,
): Promise<SignedIn> {
  await checkThrottle(context, email, client)
  const row = await findAdministratorByEmail(context.db, email.trim())
  const matches = await checkPassword(row?.password_hash ?? null, password)
  if (!row || !matches) return fail(context, row, email, client, 'invalid credentials')
  if (row.suspended) return fail(context, row, email, client, 'administrator is suspended')
  const owed = await owedFactor(context.db, row)
  const actor = actorOf(row, client)
  return context.db.tx(actor.organizationId, async (tx) => {
    // With a code still to come the attempt is not over: neither told nor forgiven yet.
    if (owed !== 'totp') {
      await clearFailures(tx, [accountSubject(email)])
      await recordEvent(tx, actor, {
        event_type: 'admin_login_attempt',
        resource: { type: 'admin', id: row.id, email: row.email },
        success: true,
      })
    }
    return openSession(tx, row, client, owed, false)
  })
}

type SecondFactor = { counter: number } | { recoveryCode: string }

async function checkSecondFactor(
  context: AdminContext,
  row: AdministratorRow,
  code: string,
): Promise<SecondFactor | null> {
  if (row.totp_secret === null) return null
  const secret = await context.sealer.unseal(row.totp_secret, sealContext(row.id))
  const counter = verifyTotp(secret, code, row.totp_last_counter)
  if (counter !== null) return { counter }
  const hash = hashRecoveryCode(code)
  return row.recovery_code_hashes.includes(hash) ? { recoveryCode: hash } : null
}

/** Remembers that the code was used. */
const spend = (tx: Tx, row: AdministratorRow, used: SecondFactor): Promise<number> =>
  saveTotp(tx, row.id, {
    secret: row.totp_secret,
    pending: row.totp_pending_secret,
    counter: 'counter' in used ? used.counter : row.totp_last_counter,
    recoveryCodes:
      'recoveryCode' in used
        ? row.recovery_code_hashes.filter((hash) => hash !== used.recoveryCode)
        : row.recovery_code_hashes,
  })

/** The second step: a code of the device or a recovery code. The half-open session is replaced by a new one. */
export async function giveSecondFactor(
  context: AdminContext,
  caller: Caller,
  code: string,
): Promise<SignedIn> {
  const { email } = caller.initiator
  await checkThrottle(context, email!, caller.client)
  const result = await change(context, caller.homeId, async (tx) => {
    // Locked, so that one code cannot be used by two requests at once.
    const row = await lockAdministratorById(tx, caller.id)
    const used = row && (await checkSecondFactor(context, row, code))
    if (!row || !used) return { row }
    await spend(tx, row, used)
    await deleteSession(tx, caller.sessionHash!)
    await clearFailures(tx, [accountSubject(row.email)])
    const actor = actorOf(row, caller.client, true)
    await recordEvent(tx, actor, {
      event_type: 'admin_login_attempt',
      resource: { type: 'admin', id: row.id, email: row.email },
      success: true,
    })
    return { session: await openSession(tx, row, caller.client, null, true) }
  })
  return result.session ?? fail(context, result.row, email!, caller.client, 'invalid second factor')
}

export const signOut = (context: AdminContext, caller: Caller): Promise<number> =>
  deleteSession(context.db, caller.sessionHash!)

export const signOutEverywhere = (context: AdminContext, caller: Caller): Promise<number> =>
  deleteSessionsOf(context.db, caller.id)

/** Same answer for a known and an unknown address, and for one that has been mailed often enough. */
export async function requestPasswordReset(
  context: AdminContext,
  client: Client,
  email: string,
): Promise<void> {
  await checkThrottle(context, email, client)
  const row = await findAdministratorByEmail(context.db, email.trim())
  if (!row || row.suspended) return
  const mailed = await countFailure(
    context.db,
    `reset ${accountSubject(email)}`,
    RESET.limit,
    RESET.windowMinutes,
    RESET.blockMinutes,
  )
  if ((mailed?.failures ?? 0) > RESET.limit) return
  const actor = actorOf(row, client)
  await context.db.tx(actor.organizationId, async (tx) => {
    await mailPasswordLink(context, tx, row, 'reset')
    await recordEvent(tx, actor, {
      event_type: 'admin_password_reset_request',
      resource: { type: 'admin', id: row.id, email: row.email },
    })
  })
}

/** Saves a new password and ends every session but the one that asked. */
async function setPassword(
  context: AdminContext,
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
  tx.afterCommit(() => context.cache.clear())
  await recordEvent(tx, actor, {
    event_type: 'admin_password_change',
    resource: { type: 'admin', id: row.id, email: row.email },
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
    invalid('link_invalid', 'token: this link has been used or has expired; ask for a new one')
  // Looked up first, so that a weak password does not use up the link.
  const owner = await findPasswordReset(context.db, sha256(token))
  const row = owner && (await findAdministratorById(context.db, owner.administrator_id))
  if (!row) throw bad()
  checkPasswordRules(password, row.email)
  const passwordHash = await hashPassword(password)
  await context.db.tx((row.provider ?? row.organization)!, async (tx) => {
    if (!(await takePasswordReset(tx, sha256(token)))) throw bad()
    await setPassword(context, tx, row, client, passwordHash, null)
  })
}

export async function changePassword(
  context: AdminContext,
  caller: Caller,
  current: string,
  password: string,
): Promise<void> {
  const row = (await findAdministratorById(context.db, caller.id))!
  await checkThrottle(context, row.email, caller.client)
  if (!(await checkPassword(row.password_hash, current))) {
    return fail(context, row, row.email, caller.client, 'invalid credentials')
  }
  checkPasswordRules(password, row.email)
  const passwordHash = await hashPassword(password)
  await context.db.tx(caller.homeId, (tx) =>
    setPassword(context, tx, row, caller.client, passwordHash, caller.sessionHash ?? null),
  )
}

export interface Enrollment {
  secret: string
  otpauthUrl: string
}

export async function startTotp(context: AdminContext, caller: Caller): Promise<Enrollment> {
  const secret = newTotpSecret()
  return context.db.tx(caller.homeId, async (tx) => {
    const row = (await lockAdministratorById(tx, caller.id))!
    if (row.totp_secret !== null)
      throw invalid('totp_enrolled', 'TOTP is enrolled already; disable it first')
    await saveTotp(tx, row.id, {
      secret: null,
      pending: context.sealer.seal(secret, sealContext(row.id)),
      counter: null,
      recoveryCodes: [],
    })
    await recordEvent(tx, caller, {
      event_type: 'admin_totp_start_enrollment',
      resource: { type: 'admin', id: row.id, email: row.email },
    })
    return { secret, otpauthUrl: totpAddress(secret, row.email) }
  })
}

/** The device proves that it has the seed; a session that owed the enrolment is replaced by a full one. */
export function finishTotp(
  context: AdminContext,
  caller: Caller,
  code: string,
): Promise<{ recoveryCodes: string[]; session: SignedIn }> {
  return change(context, caller.homeId, async (tx) => {
    const row = (await lockAdministratorById(tx, caller.id))!
    if (row.totp_pending_secret === null)
      throw invalid('totp_not_started', 'TOTP enrolment has not been started')
    const counter = verifyTotp(
      await context.sealer.unseal(row.totp_pending_secret, sealContext(row.id)),
      code,
      null,
    )
    if (counter === null)
      throw invalid('totp_code', 'code: does not match; check the clock of the device')
    const { codes, hashes } = newRecoveryCodes()
    await saveTotp(tx, row.id, {
      secret: row.totp_pending_secret,
      pending: null,
      counter,
      recoveryCodes: hashes,
    })
    await deleteSessionsOf(tx, row.id)
    const session = await openSession(tx, row, caller.client, null, true)
    await recordEvent(
      tx,
      { ...caller, mfa: true },
      {
        event_type: 'admin_totp_finish_enrollment',
        resource: { type: 'admin', id: row.id, email: row.email },
      },
    )
    return { recoveryCodes: codes, session }
  })
}

export async function disableTotp(
  context: AdminContext,
  caller: Caller,
  code: string,
): Promise<void> {
  await checkThrottle(context, caller.initiator.email!, caller.client)
  const failed = await change(context, caller.homeId, async (tx) => {
    const row = (await lockAdministratorById(tx, caller.id))!
    if (row.totp_secret === null) throw invalid('totp_not_enrolled', 'TOTP is not enrolled')
    if (!(await checkSecondFactor(context, row, code))) return row
    await saveTotp(tx, row.id, { secret: null, pending: null, counter: null, recoveryCodes: [] })
    await recordEvent(tx, caller, {
      event_type: 'admin_totp_disable',
      resource: { type: 'admin', id: row.id, email: row.email },
    })
    return null
  })
  if (failed) await fail(context, failed, failed.email, caller.client, 'invalid second factor')
}
