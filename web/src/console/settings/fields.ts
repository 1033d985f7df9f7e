export interface Field {
  /** In the settings of the API, with dots. */
  path: string
  label: string
  about?: string
  kind: 'text' | 'email' | 'flag' | 'number' | 'choice'
  options?: { value: string; label: string }[]
  min?: number
  max?: number
  /** Shown only while this flag is set. */
  when?: string
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
      {
        path: 'passwordPolicy.minLength',
        label: 'Characters at least',
        kind: 'number',
        min: 1,
        max: 256,
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
