/** The profile: user fields stored in one JSON column under their API names; defaults are left out. */

/** String fields; the default is empty. */
export const TEXTS = [
  'alternateEmail',
  'company',
  'costCenter',
  'department',
  'description',
  'displayname',
  'employeeType',
  'external_dn',
  'external_source_type',
  'jobTitle',
  'location',
  'managedAppleId',
  'middlename',
  'public_key',
  'systemUsername',
] as const

export const FLAGS = {
  allow_public_key: true,
  disableDeviceMaxLoginAttempts: false,
  enable_managed_uid: false,
  enable_user_portal_multifactor: false,
  externally_managed: false,
  ldap_binding_user: false,
  password_never_expires: false,
  passwordless_sudo: false,
  samba_service_user: false,
  sudo: false,
} as const

interface Address {
  id: string
  type?: string
  poBox?: string
  extendedAddress?: string
  streetAddress?: string
  locality?: string
  region?: string
  postalCode?: string
  country?: string
}

interface PhoneNumber {
  id: string
  type?: string
  number?: string
}

interface Attribute {
  name: string
  value: string
}

export interface RestrictedField {
  field: string
  id?: string
  type?: string
}

/** The period in which a user may sign in without a second factor, to enrol one. */
export interface MfaWindow {
  exclusion: boolean
  exclusionUntil?: string
  /** Counts from activation. */
  exclusionDays?: number
}

type TextField = (typeof TEXTS)[number]
type FlagField = keyof typeof FLAGS

export interface Profile
  extends Partial<Record<TextField, string>>,
    Partial<Record<FlagField, boolean>> {
  addresses?: Address[]
  phoneNumbers?: PhoneNumber[]
  attributes?: Attribute[]
  relationships?: { type: string; value: string }[]
  restrictedFields?: RestrictedField[]
  delegatedAuthority?: { id?: string; name?: string }
  recoveryEmail?: { address: string; verified: boolean; verifiedAt?: string }
  external_password_expiration_date?: string
  mfa?: MfaWindow
}

/** The values of an empty profile. */
export const PROFILE_DEFAULTS = {
  ...(Object.fromEntries(TEXTS.map((name) => [name, ''])) as Record<TextField, string>),
  ...(FLAGS as Record<FlagField, boolean>),
  addresses: [] as Address[],
  phoneNumbers: [] as PhoneNumber[],
  attributes: [] as Attribute[],
  relationships: [] as { type: string; value: string }[],
  restrictedFields: [] as RestrictedField[],
  delegatedAuthority: null,
}

const LISTS = ['addresses', 'phoneNumbers', 'attributes', 'relationships', 'restrictedFields']

const isDefault = (name: string, value: unknown): boolean =>
  value === null ||
  value === undefined ||
  ((TEXTS as readonly string[]).includes(name) && value === '') ||
  (name in FLAGS && value === FLAGS[name as FlagField]) ||
  (LISTS.includes(name) && (value as unknown[]).length === 0) ||
  (name === 'mfa' && !(value as MfaWindow).exclusion)

/** Merges a change; members that are null or at their default are removed. */
export function mergeProfile(profile: Profile, change: Record<string, unknown>): Profile {
  return Object.fromEntries(
    Object.entries({ ...profile, ...change }).filter(([name, value]) => !isDefault(name, value)),
  )
}
