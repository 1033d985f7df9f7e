import { EMPLOYMENT, PERSON } from '../users/profile/fields.ts'
import { STATES } from '../users/user.ts'

export interface RuleField {
  /** Of the API. */
  name: string
  label: string
  kind: 'text' | 'flag' | 'number' | 'date' | 'choice'
  options?: { value: string; label: string }[]
  /** Without a value it is null, not an empty text. */
  nullable?: true
}

/** Custom attributes are fields of this prefix. */
export const ATTRIBUTE = 'attributes.'

const of =
  (kind: RuleField['kind']) =>
  ([name, label]: [string, string]): RuleField => ({ name, label, kind })
const NULLABLE = ['employeeIdentifier', 'manager', 'recoveryEmail.address']

export const USER_FIELDS: RuleField[] = [
  ...[...PERSON, EMPLOYMENT]
    .flatMap(({ fields }) => fields)
    .filter(({ name }) => name !== 'recoveryEmail')
    .map(({ name, label }) => of('text')([name, label])),
  {
    name: 'state',
    label: 'State',
    kind: 'choice' as const,
    options: Object.entries(STATES).map(([value, label]) => ({ value, label })),
  },
  ...(
    [
      ['manager', 'Manager (id)'],
      ['recoveryEmail.address', 'Recovery e-mail'],
      ['creationSource', 'Created by'],
      ['external_source_type', 'External source'],
      ['external_dn', 'External name'],
      ['systemUsername', 'Local username'],
      ['managedAppleId', 'Managed Apple id'],
    ] as [string, string][]
  ).map(of('text')),
  ...(
    [
      ['activated', 'Has a password'],
      ['account_locked', 'Locked'],
      ['password_expired', 'Password expired'],
      ['password_never_expires', 'Password never expires'],
      ['totp_enabled', 'Second factor enrolled'],
      ['mfa.exclusion', 'Excluded from the second factor'],
      ['sudo', 'Administrator on devices'],
      ['passwordless_sudo', 'Administrator without a password'],
      ['externally_managed', 'Managed by another directory'],
      ['ldap_binding_user', 'Binds to LDAP'],
    ] as [string, string][]
  ).map(of('flag')),
  ...(
    [
      ['unix_uid', 'Unix uid'],
      ['unix_guid', 'Unix gid'],
      ['badLoginAttempts', 'Wrong passwords in a row'],
    ] as [string, string][]
  ).map(of('number')),
  ...(
    [
      ['created', 'Created'],
      ['password_date', 'Password changed'],
      ['password_expiration_date', 'Password expires'],
      ['account_locked_date', 'Locked at'],
    ] as [string, string][]
  ).map(of('date')),
].map((field) => (NULLABLE.includes(field.name) ? { ...field, nullable: true } : field))

export const DEVICE_FIELDS: RuleField[] = [
  {
    name: 'osFamily',
    label: 'Kind of system',
    kind: 'choice',
    options: [
      { value: 'linux', label: 'Linux' },
      { value: 'darwin', label: 'macOS' },
      { value: 'windows', label: 'Windows' },
    ],
  },
  ...(
    [
      ['displayName', 'Name'],
      ['hostname', 'Hostname'],
      ['description', 'Description'],
      ['os', 'Operating system'],
      ['version', 'Version'],
      ['arch', 'Architecture'],
      ['agentVersion', 'Agent version'],
      ['serialNumber', 'Serial number'],
      ['remoteIP', 'Address'],
      ['hwVendor', 'Vendor'],
      ['osVersionDetail.distributionName', 'Distribution'],
      ['osVersionDetail.major', 'Major version'],
      ['domainInfo.domainName', 'Domain'],
    ] as [string, string][]
  ).map(of('text')),
  ...(
    [
      ['active', 'Online'],
      ['fde.active', 'Disk encrypted'],
      ['domainInfo.partOfDomain', 'In a domain'],
      ['allowSshRootLogin', 'Root may use SSH'],
      ['allowSshPasswordAuthentication', 'SSH with a password'],
      ['allowMultiFactorAuthentication', 'Second factor at sign-in'],
    ] as [string, string][]
  ).map(of('flag')),
  ...(
    [
      ['created', 'Enrolled'],
      ['lastContact', 'Last contact'],
    ] as [string, string][]
  ).map(of('date')),
]

/** A field that a rule names; those that the list lacks are shown by their name. */
export const fieldNamed = (fields: RuleField[], name: string): RuleField =>
  fields.find((field) => field.name === name) ?? {
    name,
    label: name.startsWith(ATTRIBUTE) ? name.slice(ATTRIBUTE.length) : name,
    kind: 'text',
    nullable: true,
  }
