import { addNode } from '../graph/index.ts'
import { changesBetween, recordEvent } from '../insights/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { newId, uuidv7 } from '../platform/ids.ts'
import type { UserActor, UserContext } from './context.ts'
import { mergeProfile } from './fields.ts'
import { initialState } from './lifecycle.ts'
import { mailActivation } from './mails.ts'
import { checkManager } from './manager.ts'
import { acceptPassword, withPassword } from './passwords/passwords.ts'
import { resourceOf } from './records.ts'
import { whileUnique } from './save.ts'
import type { UserCreate } from './schema.ts'
import { type EntryWay, type UserSettings, userSettings } from './settings.ts'
import { claimUnixIds, insertUser, insertUserIfFree, isNumberTaken, type UserRow } from './store.ts'
import { checkUserSudo } from './sudo.ts'
import { checkUserQuota } from './user-quota.ts'
import { applyWrite, readFlag } from './write.ts'

export const VENDOR = 'gatehouse'

interface EntryOptions {
  source?: string
  way?: EntryWay
  correlation?: { id: string; type: string }
  /** False: no mail with the link to the first password. */
  mail?: boolean
}

/** A validated user, except for checks that need the transaction. */
export interface PreparedUser {
  row: UserRow
  settings: UserSettings
  options: EntryOptions
  /** The unix_uid and unix_guid from the request; null values are assigned. */
  byHand: { uid: number | null; guid: number | null }
}

export const blankUser = (
  organizationId: string,
  id: string,
  now: Date,
  source: string,
): UserRow => ({
  organization_id: organizationId,
  id,
  username: '',
  email: '',
  firstname: '',
  lastname: '',
  employee_identifier: null,
  manager: null,
  state: 'STAGED',
  unix_uid: 0,
  unix_guid: 0,
  profile: {},
  ssh_keys: [],
  creation_source: source,
  account_locked: false,
  account_locked_date: null,
  bad_login_attempts: 0,
  password_hash: null,
  password_date: null,
  password_expiration_date: null,
  password_expired: false,
  totp_secret: null,
  totp_enrolled_at: null,
  created: now.toISOString(),
  updated: now.toISOString(),
  deleted_at: null,
})

/** Does all work that needs no lock, above all hashing the password. */
export async function prepareUser(
  { db, unixUids }: UserContext,
  organizationId: string,
  body: UserCreate,
  options: EntryOptions = {},
): Promise<PreparedUser> {
  const settings = await userSettings(db, organizationId)
  const now = new Date()
  const { restrictedFields } = settings.systemUserDefaults
  const state = initialState(
    { state: body.state, suspended: readFlag(body.suspended) },
    settings.newSystemUserStateDefaults[options.way ?? 'manualEntry'],
  )
  const source = options.source ?? `${VENDOR}:manual`
  const empty = blankUser(organizationId, newId(), now, source)
  empty.profile = mergeProfile({}, { restrictedFields })
  let row = applyWrite(empty, body, state, {
    now,
    makeId: newId,
    restrictedFields,
  })
  if (body.password) {
    const hash = await acceptPassword(
      db.tenant(organizationId),
      settings.passwordPolicy,
      row,
      body.password,
    )
    row = withPassword(row, hash, settings.passwordPolicy, now)
  }
  const byHand = { uid: body.unix_uid ?? null, guid: body.unix_guid ?? null }
  const uid = byHand.uid ?? (await unixUids.take(db, organizationId))
  return {
    row: { ...row, unix_uid: uid, unix_guid: byHand.guid ?? uid },
    settings,
    options,
    byHand,
  }
}

/** Runs the transaction that adds the user; retries with another uid when a request claimed that one. */
export async function whileNumbered<T>(
  { db, unixUids }: UserContext,
  prepared: PreparedUser,
  work: (prepared: PreparedUser) => Promise<T>,
): Promise<T> {
  for (let attempt = prepared; ; ) {
    try {
      return await whileUnique(() => work(attempt))
    } catch (error) {
      if (!isNumberTaken(error)) throw error
      const uid = await unixUids.take(db, attempt.row.organization_id)
      const row = { ...attempt.row, unix_uid: uid, unix_guid: attempt.byHand.guid ?? uid }
      attempt = { ...attempt, row }
    }
  }
}

/** The audit fields of a new user, without members at their default. */
const createdOf = (row: UserRow) => ({
  username: row.username,
  email: row.email,
  state: row.state,
  ...(row.firstname && { firstname: row.firstname }),
  ...(row.lastname && { lastname: row.lastname }),
  ...(row.employee_identifier && { employeeIdentifier: row.employee_identifier }),
  ...(row.manager && { manager: row.manager }),
  ...row.profile,
  ...(row.ssh_keys.length > 0 && { ssh_keys: row.ssh_keys.map(({ name }) => name) }),
  ...(row.password_hash && { password: true }),
})

/** Adds row, node, event and mail in the caller's transaction. */
export async function addUser(
  context: UserContext,
  tx: Tx,
  actor: UserActor,
  { row, settings, options, byHand }: PreparedUser,
): Promise<UserRow> {
  const { organizationId } = actor
  checkUserSudo(actor, null, row)
  await checkUserQuota(tx, organizationId, settings)
  await checkManager(tx, organizationId, row)
  const numbers = [byHand.uid, byHand.guid].filter((id) => id !== null)
  if (numbers.length > 0) await claimUnixIds(tx, organizationId, numbers)
  const event = {
    event_type: 'systemuser_create',
    resource: resourceOf(row),
    changes: changesBetween({}, createdOf(row), ['password']),
    ...(options.correlation && { correlation: options.correlation }),
  }
  const eventId = uuidv7()
  const userId = row.id
  const change = { organizationId, userId, before: null, after: row, eventId, isNew: true } as const
  // Pipelined: one statement each, all sent before the first response. A rollback follows them, and the first failure
  // is the one reported. The benchmark create-with-event needs the round trips this saves.
  await Promise.all([
    byHand.uid === null ? insertUserIfFree(tx, row) : insertUser(tx, row),
    addNode(tx, organizationId, 'user', row.id),
    recordEvent(tx, actor, event, eventId),
  ])
  await context.changed.fire(tx, actor, change)
  if (row.state === 'ACTIVATED' && row.password_hash === null && options.mail !== false)
    await mailActivation(context, tx, actor, row)
  return row
}

export async function createUser(
  context: UserContext,
  actor: UserActor,
  body: UserCreate,
  options?: EntryOptions,
): Promise<UserRow> {
  const prepared = await prepareUser(context, actor.organizationId, body, options)
  return whileNumbered(context, prepared, (attempt) =>
    context.db.tx(actor.organizationId, (tx) => addUser(context, tx, actor, attempt)),
  )
}
