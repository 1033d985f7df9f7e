import type { components } from '../../../../../client/index.ts'

// The fields of a user that an administrator may change, in the order of the form.

export type TextField =
  | 'firstname'
  | 'middlename'
  | 'lastname'
  | 'displayname'
  | 'description'
  | 'username'
  | 'email'
  | 'alternateEmail'
  | 'jobTitle'
  | 'department'
  | 'company'
  | 'costCenter'
  | 'location'
  | 'employeeType'
  | 'employeeIdentifier'
  | 'systemUsername'
  | 'managedAppleId'
  | 'external_source_type'
  | 'external_dn'

export type Flag =
  | 'enable_user_portal_multifactor'
  | 'password_never_expires'
  | 'disableDeviceMaxLoginAttempts'
  | 'allow_public_key'
  | 'sudo'
  | 'passwordless_sudo'
  | 'ldap_binding_user'
  | 'samba_service_user'
  | 'enable_managed_uid'
  | 'externally_managed'

export type NumberField = 'unix_uid' | 'unix_guid'

/** Members that are objects or times in the API, as one text. */
export type SpecialField = 'recoveryEmail' | 'mfaFrom' | 'external_password_expiration_date'

export type ListField = 'phoneNumbers' | 'addresses' | 'relationships' | 'attributes'

export type Field = { label: string } & (
  | { kind: 'text' | 'email'; name: TextField | 'recoveryEmail' }
  | { kind: 'flag'; name: Flag }
  | { kind: 'number'; name: NumberField }
  | { kind: 'time'; name: SpecialField; about?: string }
)

const text = (name: TextField, label: string): Field => ({ kind: 'text', name, label })
const flag = (name: Flag, label: string): Field => ({ kind: 'flag', name, label })

export interface FieldGroup {
  title: string
  fields: Field[]
}

export const PERSON: FieldGroup[] = [
  {
    title: 'Person',
    fields: [
      text('firstname', 'First name'),
      text('lastname', 'Last name'),
      text('middlename', 'Middle name'),
      text('displayname', 'Display name'),
      text('description', 'Description'),
    ],
  },
  {
    title: 'Account',
    fields: [
      text('username', 'Username'),
      { kind: 'email', name: 'email', label: 'E-mail' },
      { kind: 'email', name: 'alternateEmail', label: 'Alternate e-mail' },
      { kind: 'email', name: 'recoveryEmail', label: 'Recovery e-mail' },
    ],
  },
]

export const EMPLOYMENT: FieldGroup = {
  title: 'Employment',
  fields: [
    text('jobTitle', 'Job title'),
    text('department', 'Department'),
    text('company', 'Company'),
    text('costCenter', 'Cost center'),
    text('location', 'Location'),
    text('employeeType', 'Employee type'),
    text('employeeIdentifier', 'Employee id'),
  ],
}

export const RIGHTS: FieldGroup[] = [
  {
    title: 'Sign-in',
    fields: [
      flag('enable_user_portal_multifactor', 'Require a second factor'),
      {
        kind: 'time',
        name: 'mfaFrom',
        label: 'Required from',
        about: 'Until then there is time to enrol one; empty: at once',
      },
      flag('password_never_expires', 'The password never expires'),
      flag('disableDeviceMaxLoginAttempts', 'Wrong passwords on devices do not lock the user'),
    ],
  },
  {
    title: 'On devices',
    fields: [
      text('systemUsername', 'Local username, if another'),
      text('managedAppleId', 'Managed Apple account'),
      flag('sudo', 'Administrator on all devices'),
      flag('passwordless_sudo', 'Without asking for the password'),
      flag('allow_public_key', 'May sign in with SSH keys'),
      flag('enable_managed_uid', 'Same Unix ids everywhere'),
      { kind: 'number', name: 'unix_uid', label: 'Unix user id' },
      { kind: 'number', name: 'unix_guid', label: 'Unix group id' },
      flag('ldap_binding_user', 'May bind to LDAP'),
      flag('samba_service_user', 'Service user of Samba'),
    ],
  },
]

export const MANAGED: FieldGroup = {
  title: 'Managed elsewhere',
  fields: [
    flag('externally_managed', 'Managed by another directory'),
    text('external_source_type', 'Kind of that directory'),
    text('external_dn', 'Distinguished name there'),
    {
      kind: 'time',
      name: 'external_password_expiration_date',
      label: 'The password expires there',
    },
  ],
}

interface List {
  path: ListField
  title: string
  about?: string
  row: string
  columns: { name: string; label: string }[]
}

export const CONTACT: List[] = [
  {
    path: 'phoneNumbers',
    title: 'Phone numbers',
    row: 'phone number',
    columns: [
      { name: 'type', label: 'Kind' },
      { name: 'number', label: 'Number' },
    ],
  },
  {
    path: 'addresses',
    title: 'Addresses',
    row: 'address',
    columns: [
      { name: 'type', label: 'Kind' },
      { name: 'streetAddress', label: 'Street' },
      { name: 'extendedAddress', label: 'Floor or suite' },
      { name: 'poBox', label: 'Post office box' },
      { name: 'postalCode', label: 'Postal code' },
      { name: 'locality', label: 'City' },
      { name: 'region', label: 'Region' },
      { name: 'country', label: 'Country' },
    ],
  },
]

export const OTHER: List[] = [
  {
    path: 'relationships',
    title: 'Relationships',
    about: 'Beside the manager.',
    row: 'relationship',
    columns: [
      { name: 'type', label: 'Kind' },
      { name: 'value', label: 'Person' },
    ],
  },
  {
    path: 'attributes',
    title: 'Custom attributes',
    about: 'Rules of groups and mappings of applications can use them.',
    row: 'attribute',
    columns: [
      { name: 'name', label: 'Name' },
      { name: 'value', label: 'Value' },
    ],
  },
]

type Ownable = NonNullable<components['schemas']['UserPut']['restrictedFields']>[number]['field']

/** Fields that another directory can own, so that they are changed only there; labels for those without one above. */
const OWNABLE = [
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
] as const satisfies Ownable[]

const LABELS = new Map<string, string>([
  ...[...PERSON, EMPLOYMENT, ...RIGHTS].flatMap(({ fields }) =>
    fields.map(({ name, label }) => [name, label] as const),
  ),
  ...CONTACT.map(({ path, title }) => [path, title] as const),
  ['password', 'Password'],
])

export const OWNABLE_FIELDS = OWNABLE.map((value) => ({ value, label: LABELS.get(value) ?? value }))
