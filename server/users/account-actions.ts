import { conflict, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type ChangeOptions, changeUser, getUser, updateUser } from './actions.ts'
import type { UserActor, UserContext } from './context.ts'
import { mergeProfile } from './fields.ts'
import { activation, openMfaWindow, requestedState } from './lifecycle.ts'
import { mailActivation, mailPasswordReset } from './mails.ts'
import type { MfaWrite, SshKey, SshKeyWrite } from './schema.ts'
import type { UserRow } from './store.ts'
import { checkPublicKey, readMfa } from './write.ts'

/** The row in another state; activation opens a pending window to enrol a second factor. */
export function inState(row: UserRow, state: UserRow['state'], now: Date): UserRow {
  const mfa = openMfaWindow(row.profile.mfa, state, now)
  return { ...row, state, profile: mfa ? { ...row.profile, mfa } : row.profile }
}

export const activateUser = (
  context: UserContext,
  actor: UserActor,
  id: string,
  mail: boolean | string,
) =>
  changeUser(
    context,
    actor,
    id,
    (row) => (activation(row.state) ? inState(row, 'ACTIVATED', new Date()) : row),
    { mail },
  )

export const suspendUser = (context: UserContext, actor: UserActor, id: string) =>
  changeUser(context, actor, id, (row) =>
    inState(row, requestedState(row.state, { state: 'SUSPENDED' }), new Date()),
  )

export const expirePassword = (
  context: UserContext,
  actor: UserActor,
  id: string,
  options?: ChangeOptions,
) => changeUser(context, actor, id, (row) => ({ ...row, password_expired: true }), options)

export const unlockUser = (
  context: UserContext,
  actor: UserActor,
  id: string,
  options?: ChangeOptions,
) =>
  changeUser(
    context,
    actor,
    id,
    (row) => ({
      ...row,
      account_locked: false,
      account_locked_date: null,
      bad_login_attempts: 0,
    }),
    options,
  )

export const setPassword = (context: UserContext, actor: UserActor, id: string, password: string) =>
  updateUser(context, actor, id, { password })

const withMfa = (row: UserRow, mfa: MfaWrite, more: object = {}): UserRow => {
  const window = openMfaWindow(readMfa(mfa, undefined), row.state, new Date())
  return { ...row, profile: mergeProfile(row.profile, { mfa: window, ...more }) }
}

/** Removes the second factor; within the window, if any, the user may sign in without one. */
export const resetMfa = (context: UserContext, actor: UserActor, id: string, mfa: MfaWrite) =>
  changeUser(context, actor, id, (row) => ({
    ...withMfa(row, mfa),
    totp_secret: null,
    totp_enrolled_at: null,
  }))

export const enforceMfa = (context: UserContext, actor: UserActor, id: string, mfa: MfaWrite) =>
  changeUser(context, actor, id, (row) =>
    withMfa(row, mfa, { enable_user_portal_multifactor: true }),
  )

/** Lifts a suspension if there is one, then mails a link to sign in again. */
export async function reactivateUser(
  context: UserContext,
  actor: UserActor,
  id: string,
): Promise<UserRow> {
  return changeUser(
    context,
    actor,
    id,
    async (row, tx) => {
      if (row.state === 'STAGED')
        throw conflict('user_staged', 'The user is STAGED; activate it instead')
      const after = inState(row, 'ACTIVATED', new Date())
      const mail = after.password_hash === null ? mailActivation : mailPasswordReset
      await mail(context, tx, actor, after)
      return after
    },
    { mail: false },
  )
}

export async function addSshKey(
  context: UserContext,
  actor: UserActor,
  id: string,
  { name, public_key }: SshKeyWrite,
): Promise<SshKey> {
  const keyId = newId()
  const key: SshKey = {
    _id: keyId,
    id: keyId,
    name,
    public_key: checkPublicKey(public_key),
    create_date: new Date().toISOString(),
  }
  await changeUser(context, actor, id, (row) => {
    if (row.ssh_keys.some((known) => known.public_key === key.public_key))
      throw conflict('ssh_key_exists', 'public_key: the user already has this key')
    return { ...row, ssh_keys: [...row.ssh_keys, key] }
  })
  return key
}

export const removeSshKey = (context: UserContext, actor: UserActor, id: string, keyId: string) =>
  changeUser(context, actor, id, (row) => {
    const left = row.ssh_keys.filter((key) => key.id !== keyId)
    if (left.length === row.ssh_keys.length)
      throw notFound('ssh_key_not_found', 'ssh key not found')
    return { ...row, ssh_keys: left }
  })

export const sshKeysOf = async (context: UserContext, organizationId: string, id: string) =>
  (await getUser(context, organizationId, id)).ssh_keys
