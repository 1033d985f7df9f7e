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
const UserState = Type.Optional(Type.Enum(['ACTIVATED', 'STAGED']))

export const PasswordPolicy = Type.Object({
  allowUnenrolledMFAPasswordReset: flag(),
  allowUsernameSubstring: flag(),
  daysAfterExpirationToSelfRecover: whole(),
  daysBeforeExpirationToForceReset: whole(1),
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
  maxLoginAttempts: whole(1),
  minChangePeriodInDays: whole(0),
  minLength: whole(1, 256),
  needsLowercase: flag(),
  needsNumeric: flag(),
  needsSymbolic: flag(),
  needsUppercase: flag(),
  passwordExpirationInDays: whole(1),
})

const RESTRICTED_FIELDS = [
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
    maxSystemUsers: whole(0),
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
              type: Type.Optional(
                Type.Enum(['active_directory', 'federated_identity_provider', 'scim']),
              ),
            }),
          ),
        ),
      }),
    ),
    systemUserPasswordExpirationInDays: whole(0),
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

/** Drops what a client may not set; `name` and `maxSystemUsers` are columns of their own. */
export function writableSettings(sent: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(WritableSettings.properties).filter(
    (name) => name !== 'name' && name !== 'maxSystemUsers',
  )
  return Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)))
}
