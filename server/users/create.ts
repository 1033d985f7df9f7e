import { addNodes } from '../graph/index.ts'
import { changesBetween, recordEvents } from '../insights/index.ts'
import type { Tx } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import type { UserActor, UserContext } from './context.ts'
import { mergeProfile } from './fields.ts'
import { initialState } from './lifecycle.ts'
import { mailActivation } from './mails.ts'
import { checkManagers } from './manager.ts'
import { acceptPassword, withPassword } from './passwords/passwords.ts'
import { resourceOf } from './records.ts'
import { whileUnique } from './save.ts'
import type { UserCreate } from './schema.ts'
import { type EntryWay, type UserSettings, userSettings } from './settings.ts'
import { claimUnixIds, insertUsers, isNumberTaken, type UserRow } from './store.ts'
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
  /** The bulk job that holds this mail until it is released. */
  holdMailFor?: string | undefined
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
  settings: UserSettings,
  body: UserCreate,
  options: EntryOptions = {},
): Promise<PreparedUser> {
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

async function numberAgain(
  { db, unixUids }: UserContext,
  { row, byHand, ...rest }: PreparedUser,
): Promise<PreparedUser> {
  const uid = byHand.uid ?? (await unixUids.take(db, row.organization_id))
  return { ...rest, byHand, row: { ...row, unix_uid: uid, unix_guid: byHand.guid ?? uid } }
}

/** Runs the transaction that adds the users; retries with other uids when a request claimed one of them. */
export async function whileNumbered<T>(
  context: UserContext,
  prepared: readonly PreparedUser[],
  work: (prepared: readonly PreparedUser[]) => Promise<T>,
): Promise<T> {
  for (let attempt = prepared; ; ) {
    try {
      return await whileUnique(() => work(attempt))
    } catch (error) {
      if (!isNumberTaken(error)) throw error
      attempt = await Promise.all(attempt.map((user) => numberAgain(context, user)))
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

const eventOf = ({ row, options: { correlation } }: PreparedUser) => ({
  event_type: 'systemuser_create',
  resource: resourceOf(row),
  changes: changesBetween({}, createdOf(row), ['password']),
  ...(correlation && { correlation }),
})

/** Adds rows, nodes, events and mails in the caller's transaction, each in one statement for all users. */
export async function addUsers(
  context: UserContext,
  tx: Tx,
  actor: UserActor,
  users: readonly PreparedUser[],
): Promise<void> {
  const { organizationId } = actor
  const rows = users.map(({ row }) => row)
  const ids = rows.map(({ id }) => id)
  for (const row of rows) checkUserSudo(actor, null, row)
  await checkUserQuota(tx, organizationId, users[0]!.settings, users.length)
  await checkManagers(tx, organizationId, rows)
  const numbers = users.flatMap(({ byHand: { uid, guid } }) => [uid ?? [], guid ?? []].flat())
  if (numbers.length > 0) await claimUnixIds(tx, organizationId, numbers)
  // In this order, so that two transactions with the same names wait for each other instead of deadlocking.
  const ordered = users.toSorted((a, b) => (a.row.username < b.row.username ? -1 : 1))
  // Pipelined: one statement each, all sent before the first response. A rollback follows them, and the first failure
  // is the one reported. The benchmark create-with-event needs the round trips this saves.
  const [, , eventIds] = await Promise.all([
    insertUsers(tx, ordered),
    addNodes(tx, organizationId, 'user', ids),
    recordEvents(tx, actor, users.map(eventOf)),
  ])
  const changes = rows.map((after, at) => {
    const [userId, eventId] = [ids[at]!, eventIds[at]!]
    return { organizationId, userId, before: null, after, eventId, isNew: true } as const
  })
  await context.changed.fire(tx, actor, ...changes)
  for (const { row, options } of users)
    if (row.state === 'ACTIVATED' && row.password_hash === null && options.mail !== false)
      await mailActivation(context, tx, actor, row, undefined, options.holdMailFor)
}

export async function createUser(
  context: UserContext,
  actor: UserActor,
  body: UserCreate,
  options?: EntryOptions,
): Promise<UserRow> {
  const { organizationId } = actor
  const settings = await userSettings(context.db, organizationId)
  const prepared = await prepareUser(context, organizationId, settings, body, options)
  return whileNumbered(context, [prepared], (attempt) =>
    context.db.tx(organizationId, async (tx) => {
      await addUsers(context, tx, actor, attempt)
      return attempt[0]!.row
    }),
  )
}
