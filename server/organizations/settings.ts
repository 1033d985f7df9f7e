import { type Static, Type } from 'typebox'

const flag = () => Type.Optional(Type.Boolean())
const text = (maxLength = 1024) =>
  Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]))
const whole = (minimum?: number, maximum?: number) =>
  Type.Optional(
    Type.Integer({
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    }),
  )
/** So that a date this many days away is still one. */
const MAX_DAYS = 100_000
/** As the database counts. */
export const MAX_COUNT = 2_147_483_647
const UserState = Type.Optional(Type.Enum(['ACTIVATED', 'STAGED']))

const PasswordPolicy = Type.Object({
  allowUnenrolledMFAPasswordReset: flag(),
  allowUsernameSubstring: flag(),
  daysAfterExpirationToSelfRecover: whole(-MAX_DAYS, MAX_DAYS),
  daysBeforeExpirationToForceReset: whole(1, MAX_DAYS),
  disallowCommonlyUsedPasswords: flag(),
  disallowSequentialOrRepetitiveChars: flag(),
  displayComplexityOnResetScreen: flag(),
  effectiveDate: text(),
  enableDaysAfterExpirationToSelfRecover: flag(),
  enableDaysBeforeExpirationToForceReset: flag(),
  enableLockoutTimeInSeconds: flag(),
  enableMaxHistory: flag(),
  enableMaxLoginAttempts: flag(),
  enableMinChangePeriodInDays: flag(),
  enableMinLength: flag(),
  enablePasswordExpirationInDays: flag(),
  gracePeriodDate: text(),
  lockoutTimeInSeconds: whole(300, 5400),
  maxHistory: whole(1, 24),
  maxLoginAttempts: whole(1, MAX_COUNT),
  minChangePeriodInDays: whole(0, MAX_DAYS),
  minLength: whole(1, 256),
  needsLowercase: flag(),
  needsNumeric: flag(),
  needsSymbolic: flag(),
  needsUppercase: flag(),
  passwordExpirationInDays: whole(1, MAX_DAYS),
})

/** What of a user an authority outside can own, and which kinds of authority there are. */
export const RESTRICTED_FIELDS = [
  'addresses',
  'company',
  'costCenter',
  'department',
  'description',
  'displayname',
  'email',
  'employeeIdentifier',
  'employeeType',
  'firstname',
  'jobTitle',
  'lastname',
  'location',
  'middlename',
  'password',
  'phoneNumbers',
  'sudo',
  'username',
]
export const AUTHORITIES = ['active_directory', 'federated_identity_provider', 'scim']

const open = { additionalProperties: true }
const Insights = Type.Optional(Type.Object({ enabled: flag() }, open))

/** The part of the settings that PUT may change; other members that clients send back are ignored. */
export const WritableSettings = Type.Object(
  {
    contactEmail: text(),
    contactName: text(),
    deviceIdentificationEnabled: flag(),
    disableGoogleLogin: flag(),
    disableLdap: flag(),
    disableUM: flag(),
    duplicateLDAPGroups: flag(),
    emailDisclaimer: text(4096),
    enableManagedUID: flag(),
    features: Type.Optional(
      Type.Object(
        {
          directoryInsights: Insights,
          directoryInsightsPremium: Insights,
          systemInsights: Insights,
        },
        open,
      ),
    ),
    growthData: Type.Optional(Type.Object({}, open)),
    logo: text(1_000_000),
    maxSystemUsers: whole(0, MAX_COUNT),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    newSystemUserStateDefaults: Type.Optional(
      Type.Object({ applicationImport: UserState, csvImport: UserState, manualEntry: UserState }),
    ),
    passwordCompliance: Type.Optional(Type.Enum(['custom', 'pci3', 'windows'])),
    passwordPolicy: Type.Optional(PasswordPolicy),
    requireAdminMFA: flag(),
    showIntro: flag(),
    systemUserDefaults: Type.Optional(
      Type.Object({
        restrictedFields: Type.Optional(
          Type.Array(
            Type.Object({
              field: Type.Enum(RESTRICTED_FIELDS),
              id: Type.Optional(Type.String({ maxLength: 24 })),
              type: Type.Optional(Type.Enum(AUTHORITIES)),
            }),
          ),
        ),
      }),
    ),
    systemUserPasswordExpirationInDays: whole(0, MAX_DAYS),
    systemUsersCanEdit: flag(),
    trustedAppConfig: Type.Optional(
      Type.Object({
        checksum: Type.String(),
        trustedApps: Type.Array(
          Type.Object({ name: Type.String(), path: text(), teamid: text() }),
          { minItems: 1 },
        ),
      }),
    ),
    userPortal: Type.Optional(
      Type.Object({
        cookieExpirationType: Type.Optional(Type.Enum(['session', 'date'])),
        idleSessionDurationMinutes: whole(1, 129_600),
      }),
    ),
  },
  { title: 'OrganizationSettings' },
)
export type WritableSettings = Static<typeof WritableSettings>

/** What an organization starts with. */
export const DEFAULT_SETTINGS = {
  contactEmail: '',
  contactName: '',
  deviceIdentificationEnabled: false,
  disableCommandRunner: false,
  disableGoogleLogin: false,
  disableLdap: false,
  disableUM: false,
  duplicateLDAPGroups: false,
  emailDisclaimer: '',
  enableManagedUID: false,
  enableUserPortalAgentInstall: true,
  features: { directoryInsights: { enabled: true }, systemInsights: { enabled: true } },
  growthData: {},
  logo: '',
  newSystemUserStateDefaults: {
    applicationImport: 'ACTIVATED',
    csvImport: 'ACTIVATED',
    manualEntry: 'ACTIVATED',
  },
  passwordCompliance: 'custom',
  passwordPolicy: {
    allowUsernameSubstring: false,
    disallowCommonlyUsedPasswords: true,
    disallowSequentialOrRepetitiveChars: false,
    enableLockoutTimeInSeconds: true,
    enableMaxHistory: false,
    enableMaxLoginAttempts: true,
    enableMinLength: true,
    enablePasswordExpirationInDays: false,
    lockoutTimeInSeconds: 900,
    maxHistory: 5,
    maxLoginAttempts: 6,
    minLength: 12,
    needsLowercase: true,
    needsNumeric: true,
    needsSymbolic: false,
    needsUppercase: true,
    passwordExpirationInDays: 90,
  },
  pendingDelete: false,
  requireAdminMFA: false,
  showIntro: true,
  systemUserDefaults: { restrictedFields: [] },
  systemUserPasswordExpirationInDays: 0,
  systemUsersCanEdit: true,
  userPortal: { cookieExpirationType: 'session', idleSessionDurationMinutes: 60 },
} satisfies Record<string, unknown>

/**
 * What each level of `passwordCompliance` but custom asks for: PCI DSS 3.2.1 §8.1.6–8.2.5, and the complexity that
 * Windows asks of domain accounts.
 */
export const COMPLIANCE: Record<string, Static<typeof PasswordPolicy>> = {
  pci3: {
    enableLockoutTimeInSeconds: true,
    enableMaxHistory: true,
    enableMaxLoginAttempts: true,
    enableMinLength: true,
    enablePasswordExpirationInDays: true,
    lockoutTimeInSeconds: 1800,
    maxHistory: 4,
    maxLoginAttempts: 6,
    minLength: 7,
    needsLowercase: true,
    needsNumeric: true,
    needsUppercase: true,
    passwordExpirationInDays: 90,
  },
  windows: {
    allowUsernameSubstring: false,
    enableMaxHistory: true,
    enableMinLength: true,
    enablePasswordExpirationInDays: true,
    maxHistory: 24,
    minLength: 8,
    needsLowercase: true,
    needsNumeric: true,
    needsUppercase: true,
    passwordExpirationInDays: 42,
  },
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Members that are sent replace, objects merge, members that are not sent stay. */
export function mergeSettings(
  current: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...current }
  for (const [name, value] of Object.entries(change)) {
    const before = merged[name]
    merged[name] = isObject(before) && isObject(value) ? mergeSettings(before, value) : value
  }
  return merged
}

/**
 * Drops what a client may not set; `name` and `maxSystemUsers` are columns of their own. A policy is the organization's
 * own under `custom` only: under another level, clients send back what that level asks for.
 */
export function writableSettings(
  current: Record<string, unknown>,
  sent: Record<string, unknown>,
): Record<string, unknown> {
  const level = sent.passwordCompliance ?? current.passwordCompliance ?? 'custom'
  const kept = ['name', 'maxSystemUsers', ...(level === 'custom' ? [] : ['passwordPolicy'])]
  const names = Object.keys(WritableSettings.properties).filter((name) => !kept.includes(name))
  return Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)))
}
