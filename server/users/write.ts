import { invalid } from '../platform/errors.ts'
import { FLAGS, type MfaWindow, mergeProfile, type RestrictedField, TEXTS } from './fields.ts'
import { openMfaWindow } from './lifecycle.ts'
import type { MfaWrite, SshKey, SshKeyWrite, UserPut, UserState } from './schema.ts'
import type { UserRow } from './store.ts'

/** The writable members; PUT and create share all but a few. */
export type UserWrite = UserPut

interface WriteRules {
  now: Date
  makeId: () => string
  /** The organization's `systemUserDefaults.restrictedFields`. */
  restrictedFields: RestrictedField[]
}

/** Undefined when not sent; generated clients send null for unknown values. */
export const readFlag = (value: unknown): boolean | undefined =>
  value === undefined || value === null ? undefined : value === true || value === 'true'

const textOr = (sent: string | null | undefined, current: string): string =>
  sent === undefined ? current : (sent ?? '')
const nothing = (sent: string | null): string | null => (sent === '' ? null : sent)

/** Drops empty members. */
const filled = <T extends object>(item: T): T =>
  Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== null && value !== undefined),
  ) as T

const ADDRESS = 'type poBox extendedAddress streetAddress locality region postalCode country'
const PHONE = 'type number'

/** An item keeps its known id; a new one gets a fresh id. */
function withIds<T extends { id: string }>(
  sent: Record<string, unknown>[],
  names: string,
  current: T[],
  makeId: () => string,
): T[] {
  return sent.map((item) => {
    const id = current.some((known) => known.id === item.id) ? (item.id as string) : makeId()
    const parts = names.split(' ').map((name) => [name, item[name]] as const)
    return filled({ id, ...Object.fromEntries(parts) }) as T
  })
}

export function readMfa(sent: MfaWrite, current: MfaWindow | undefined): MfaWindow {
  const exclusion = readFlag(sent.exclusion) ?? current?.exclusion ?? false
  if (!exclusion) return { exclusion }
  const until = sent.exclusionUntil === undefined ? current?.exclusionUntil : sent.exclusionUntil
  const days = sent.exclusionDays === undefined ? current?.exclusionDays : sent.exclusionDays
  return {
    exclusion,
    ...(until && { exclusionUntil: new Date(until).toISOString() }),
    ...(days && { exclusionDays: days }),
  }
}

/** authorized_keys format: algorithm, Base64 key (starts with a small length, hence AAAA), optional comment. */
const PUBLIC_KEY = /^(ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]+ AAAA[A-Za-z0-9+/]*={0,3}( [^\r\n]*)?$/

export function checkPublicKey(key: string): string {
  const trimmed = key.trim()
  if (!PUBLIC_KEY.test(trimmed)) {
    throw invalid('bad_public_key', 'public_key: must be of the form "ssh-ed25519 AAAA… comment"')
  }
  return trimmed
}

function readKeys(sent: SshKeyWrite[], current: SshKey[], { now, makeId }: WriteRules): SshKey[] {
  return sent.map(({ name, public_key }) => {
    const key = checkPublicKey(public_key)
    const known = current.find((one) => one.public_key === key)
    if (known) return { ...known, name }
    const id = makeId()
    return { _id: id, id, name, public_key: key, create_date: now.toISOString() }
  })
}

function checkAttributes(attributes: { name: string }[]): void {
  const names = attributes.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw invalid('attribute_twice', `attributes: the name "${twice}" appears more than once`)
}

function profileChange(row: UserRow, body: UserWrite, rules: WriteRules): Record<string, unknown> {
  const { profile } = row
  const change: Record<string, unknown> = {}
  for (const name of TEXTS) if (body[name] !== undefined) change[name] = body[name] ?? ''
  for (const name of Object.keys(FLAGS) as (keyof typeof FLAGS)[]) {
    const flag = readFlag(body[name])
    if (flag !== undefined) change[name] = flag
  }
  if (body.attributes) {
    checkAttributes(body.attributes)
    change.attributes = body.attributes.map(({ name, value }) => ({ name, value: value ?? '' }))
  }
  if (body.relationships)
    change.relationships = body.relationships.map(({ type, value }) => ({ type, value }))
  if (body.restrictedFields)
    change.restrictedFields = body.restrictedFields.map(({ field, id, type }) =>
      filled({ field, id, type }),
    )
  if (body.addresses)
    change.addresses = withIds(body.addresses, ADDRESS, profile.addresses ?? [], rules.makeId)
  if (body.phoneNumbers)
    change.phoneNumbers = withIds(
      body.phoneNumbers,
      PHONE,
      profile.phoneNumbers ?? [],
      rules.makeId,
    )
  if (body.delegatedAuthority !== undefined)
    change.delegatedAuthority = body.delegatedAuthority && {
      ...filled({ id: body.delegatedAuthority.id, name: body.delegatedAuthority.name }),
    }
  if (body.external_password_expiration_date !== undefined)
    change.external_password_expiration_date = body.external_password_expiration_date || null
  if (body.recoveryEmail !== undefined) {
    const address = body.recoveryEmail?.address
    if (!address) change.recoveryEmail = null
    else if (address !== profile.recoveryEmail?.address)
      change.recoveryEmail = { address, verified: false }
  }
  if (body.mfa) change.mfa = readMfa(body.mfa, profile.mfa)
  // Deprecated, but overrides the fields an administrator restricted.
  const managed = readFlag(body.externally_managed)
  if (managed !== undefined && managed !== (profile.externally_managed ?? false))
    change.restrictedFields = managed ? rules.restrictedFields : []
  return change
}

/** The row after the request, except for the password, which must be hashed first. */
export function applyWrite(
  row: UserRow,
  body: UserWrite,
  state: UserState,
  rules: WriteRules,
): UserRow {
  const locked = readFlag(body.account_locked) ?? row.account_locked
  const profile = mergeProfile(row.profile, profileChange(row, body, rules))
  const mfa = openMfaWindow(profile.mfa, state, rules.now)
  return {
    ...row,
    username: body.username ?? row.username,
    email: body.email ?? row.email,
    firstname: textOr(body.firstname, row.firstname),
    lastname: textOr(body.lastname, row.lastname),
    employee_identifier:
      body.employeeIdentifier === undefined
        ? row.employee_identifier
        : nothing(body.employeeIdentifier),
    manager: body.manager === undefined ? row.manager : nothing(body.manager),
    state,
    unix_uid: body.unix_uid ?? row.unix_uid,
    unix_guid: body.unix_guid ?? row.unix_guid,
    profile: mfa ? { ...profile, mfa } : profile,
    ssh_keys: body.ssh_keys ? readKeys(body.ssh_keys, row.ssh_keys, rules) : row.ssh_keys,
    account_locked: locked,
    account_locked_date: !locked
      ? null
      : row.account_locked
        ? row.account_locked_date
        : rules.now.toISOString(),
    bad_login_attempts: row.account_locked && !locked ? 0 : row.bad_login_attempts,
  }
}
