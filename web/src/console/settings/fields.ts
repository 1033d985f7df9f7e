export interface Field {
  /** In the settings of the API, with dots. */
  path: string
  label: string
  about?: string
  /** user-fields: a list of fields of users. */
  kind: 'text' | 'email' | 'flag' | 'number' | 'choice' | 'user-fields'
  options?: { value: string; label: string }[]
  min?: number
  max?: number
  /** Shown only while this flag is set. */
  when?: string
  /** Needed to change it, if not that of the organization. */
  scope?: string
  /** What the server does while there is no value. */
  initial?: boolean
}

export interface FieldGroup {
  title: string
  about?: string
  fields: Field[]
}

const states = [
  { value: 'ACTIVATED', label: 'Active' },
  { value: 'STAGED', label: 'Staged: activate later' },
]

export const GENERAL: FieldGroup[] = [
  {
    title: 'Organization',
    fields: [
      { path: 'name', label: 'Name', kind: 'text' },
      { path: 'contactName', label: 'Contact', kind: 'text' },
      { path: 'contactEmail', label: 'E-mail of the contact', kind: 'email' },
      {
        path: 'emailDisclaimer',
        label: 'Note at the end of mails',
        kind: 'text',
      },
      {
        path: 'maxSystemUsers',
        label: 'Users at most (0: no limit)',
        kind: 'number',
        min: 0,
        max: 2_147_483_647,
        scope: 'organizations.billing',
      },
    ],
  },
  {
    title: 'New users',
    about: 'Their state, by where they come from',
    fields: [
      {
        path: 'newSystemUserStateDefaults.manualEntry',
        label: 'Added by hand',
        kind: 'choice',
        options: states,
      },
      {
        path: 'newSystemUserStateDefaults.csvImport',
        label: 'From a file',
        kind: 'choice',
        options: states,
      },
      {
        path: 'newSystemUserStateDefaults.applicationImport',
        label: 'From an application',
        kind: 'choice',
        options: states,
      },
    ],
  },
  {
    title: 'Users themselves',
    fields: [{ path: 'systemUsersCanEdit', label: 'May edit their profile', kind: 'flag' }],
  },
  {
    title: 'Users managed by another directory',
    fields: [
      {
        path: 'systemUserDefaults.restrictedFields',
        label: 'Fields that are changed only there',
        kind: 'user-fields',
      },
    ],
  },
]

export const SECURITY: FieldGroup[] = [
  {
    title: 'Administrators',
    fields: [{ path: 'requireAdminMFA', label: 'Require a second factor', kind: 'flag' }],
  },
  {
    title: 'Sessions of users',
    fields: [
      {
        path: 'userPortal.idleSessionDurationMinutes',
        label: 'Minutes without a request until a session ends',
        kind: 'number',
        min: 1,
        max: 129_600,
      },
      {
        path: 'userPortal.cookieExpirationType',
        label: 'The browser forgets the session',
        kind: 'choice',
        options: [
          { value: 'session', label: 'When it is closed' },
          { value: 'date', label: 'When it ends' },
        ],
      },
    ],
  },
  {
    title: 'Passwords of users',
    about: 'A standard sets its own rules; those below count with “Own rules”.',
    fields: [
      {
        path: 'passwordCompliance',
        label: 'Standard',
        kind: 'choice',
        options: [
          { value: 'custom', label: 'Own rules' },
          { value: 'pci3', label: 'PCI DSS 3.2.1' },
          { value: 'windows', label: 'Windows' },
        ],
      },
      { path: 'passwordPolicy.enableMinLength', label: 'A certain length', kind: 'flag' },
      {
        path: 'passwordPolicy.minLength',
        label: 'Characters at least',
        kind: 'number',
        min: 1,
        max: 256,
        when: 'passwordPolicy.enableMinLength',
      },
      { path: 'passwordPolicy.needsLowercase', label: 'A lower-case letter', kind: 'flag' },
      { path: 'passwordPolicy.needsUppercase', label: 'An upper-case letter', kind: 'flag' },
      { path: 'passwordPolicy.needsNumeric', label: 'A digit', kind: 'flag' },
      { path: 'passwordPolicy.needsSymbolic', label: 'A symbol', kind: 'flag' },
      {
        path: 'passwordPolicy.disallowCommonlyUsedPasswords',
        label: 'No commonly used password',
        kind: 'flag',
      },
      {
        path: 'passwordPolicy.disallowSequentialOrRepetitiveChars',
        label: 'No sequences or repetitions',
        kind: 'flag',
      },
      {
        path: 'passwordPolicy.allowUsernameSubstring',
        label: 'May contain the username',
        kind: 'flag',
      },
      { path: 'passwordPolicy.enableMaxHistory', label: 'Differs from earlier ones', kind: 'flag' },
      {
        path: 'passwordPolicy.maxHistory',
        label: 'Earlier ones that count',
        kind: 'number',
        min: 1,
        max: 24,
        when: 'passwordPolicy.enableMaxHistory',
      },
      {
        path: 'passwordPolicy.enablePasswordExpirationInDays',
        label: 'Expires',
        kind: 'flag',
      },
      {
        path: 'passwordPolicy.passwordExpirationInDays',
        label: 'Days until it expires',
        kind: 'number',
        min: 1,
        max: 100_000,
        when: 'passwordPolicy.enablePasswordExpirationInDays',
      },
      {
        path: 'passwordPolicy.enableDaysBeforeExpirationToForceReset',
        label: 'Ask for a new one before it expires, by mail and at the sign-in',
        kind: 'flag',
        when: 'passwordPolicy.enablePasswordExpirationInDays',
      },
      {
        path: 'passwordPolicy.daysBeforeExpirationToForceReset',
        label: 'So many days before',
        kind: 'number',
        min: 1,
        max: 100_000,
        when: 'passwordPolicy.enableDaysBeforeExpirationToForceReset',
      },
      {
        path: 'passwordPolicy.enableDaysAfterExpirationToSelfRecover',
        label: 'After it has expired, users can replace it themselves only for a while',
        kind: 'flag',
        when: 'passwordPolicy.enablePasswordExpirationInDays',
      },
      {
        path: 'passwordPolicy.daysAfterExpirationToSelfRecover',
        label: 'For so many days',
        kind: 'number',
        min: 0,
        max: 100_000,
        when: 'passwordPolicy.enableDaysAfterExpirationToSelfRecover',
      },
      {
        path: 'passwordPolicy.enableMinChangePeriodInDays',
        label: 'Can be changed again only after a while',
        kind: 'flag',
      },
      {
        path: 'passwordPolicy.minChangePeriodInDays',
        label: 'After so many days',
        kind: 'number',
        min: 0,
        max: 100_000,
        when: 'passwordPolicy.enableMinChangePeriodInDays',
      },
      {
        path: 'passwordPolicy.allowUnenrolledMFAPasswordReset',
        label: 'May be reset by mail before a required second factor is enrolled',
        kind: 'flag',
        initial: true,
      },
    ],
  },
  {
    title: 'Wrong passwords',
    fields: [
      { path: 'passwordPolicy.enableMaxLoginAttempts', label: 'Lock the user', kind: 'flag' },
      {
        path: 'passwordPolicy.maxLoginAttempts',
        label: 'After so many in a row',
        kind: 'number',
        min: 1,
        max: 1000,
        when: 'passwordPolicy.enableMaxLoginAttempts',
      },
      {
        path: 'passwordPolicy.enableLockoutTimeInSeconds',
        label: 'Unlock by itself',
        kind: 'flag',
        when: 'passwordPolicy.enableMaxLoginAttempts',
      },
      {
        path: 'passwordPolicy.lockoutTimeInSeconds',
        label: 'After so many seconds',
        kind: 'number',
        min: 300,
        max: 5400,
        when: 'passwordPolicy.enableLockoutTimeInSeconds',
      },
    ],
  },
]
