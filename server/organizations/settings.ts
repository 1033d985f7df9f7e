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
/** Keeps dates computed from these settings within range. */
const MAX_DAYS = 100_000
/** The largest PostgreSQL integer. */
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

/** User fields that an external authority can own; AUTHORITIES lists the kinds of authority. */
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

/** The settings that PUT may change; other members are ignored, because clients send whole records back. */
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

/** The settings of a new organization. */
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
 * The policy that each level of `passwordCompliance` except custom requires: PCI DSS 3.2.1 §8.1.6–8.2.5, and the
 * complexity rules of Windows domain accounts.
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

/** Deep merge: members in `change` replace, objects merge, omitted members stay. */
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
 * Drops members that clients may not set; `name` and `maxSystemUsers` have their own columns. The password policy is
 * kept only under `custom`: under other levels clients send back the policy of that level.
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
