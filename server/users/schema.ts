import { type Static, type TSchema, Type } from 'typebox'
import { AUTHORITIES, RESTRICTED_FIELDS } from '../organizations/schema.ts'

const Id = Type.String({ pattern: '^[0-9a-f]{24}$' })
const date = Type.String({ format: 'date-time' })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const maybe = <T extends TSchema>(schema: T) => Type.Optional(schema)

export const UserState = Type.Enum(['STAGED', 'ACTIVATED', 'SUSPENDED'])
export type UserState = Static<typeof UserState>

// Request bodies. Generated clients send null for unknown values, old ones booleans as strings; unknown members are
// ignored.

const open = { additionalProperties: true }
const text = (maxLength = 1024) => maybe(orNull(Type.String({ maxLength })))
/** An empty string or null means no value. */
const emptyOr = <T extends TSchema>(schema: T) =>
  maybe(Type.Union([schema, Type.Literal(''), Type.Null()]))
const flag = () =>
  maybe(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false'), Type.Null()], {
      description: 'A boolean; "true" and "false" are accepted too',
    }),
  )
const whole = (maximum: number) => maybe(orNull(Type.Integer({ minimum: 1, maximum })))
const list = <T extends TSchema>(item: T) => maybe(orNull(Type.Array(item, { maxItems: 1000 })))

const AddressWrite = Type.Object(
  {
    id: text(),
    type: text(),
    poBox: text(),
    extendedAddress: text(),
    streetAddress: text(),
    locality: text(),
    region: text(),
    postalCode: text(),
    country: text(),
  },
  open,
)
const PhoneNumberWrite = Type.Object({ id: text(), type: text(), number: text() }, open)
const Attribute = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 1024 }),
    value: orNull(Type.String({ maxLength: 1024 })),
  },
  open,
)
const Relationship = Type.Object(
  { type: Type.String({ maxLength: 1024 }), value: Type.String({ maxLength: 1024 }) },
  open,
)
const RestrictedField = Type.Object(
  {
    field: Type.Enum(RESTRICTED_FIELDS),
    id: text(24),
    type: maybe(orNull(Type.Enum(AUTHORITIES))),
  },
  open,
)
const DelegatedAuthority = Type.Object(
  { id: text(), name: maybe(orNull(Type.Enum(['ActiveDirectory']))) },
  open,
)
export const MfaWrite = Type.Object(
  {
    configured: flag(),
    exclusion: flag(),
    exclusionDays: whole(3650),
    exclusionUntil: emptyOr(date),
  },
  open,
)
export type MfaWrite = Static<typeof MfaWrite>

const Username = Type.String({ minLength: 1, maxLength: 1024, pattern: '^\\S+$' })
const Email = Type.String({ format: 'email', maxLength: 1024 })

const writable = {
  account_locked: flag(),
  addresses: list(AddressWrite),
  allow_public_key: flag(),
  alternateEmail: emptyOr(Email),
  attributes: list(Attribute),
  company: text(),
  costCenter: text(),
  delegatedAuthority: maybe(orNull(DelegatedAuthority)),
  department: text(),
  description: text(),
  disableDeviceMaxLoginAttempts: flag(),
  displayname: text(),
  employeeIdentifier: text(256),
  employeeType: text(),
  enable_managed_uid: flag(),
  enable_user_portal_multifactor: flag(),
  external_dn: text(),
  external_password_expiration_date: emptyOr(date),
  external_source_type: text(),
  externally_managed: flag(),
  firstname: text(),
  jobTitle: text(),
  lastname: text(),
  ldap_binding_user: flag(),
  location: text(),
  managedAppleId: text(),
  manager: emptyOr(Id),
  mfa: maybe(orNull(MfaWrite)),
  middlename: text(),
  password: emptyOr(Type.String({ maxLength: 1024 })),
  password_never_expires: flag(),
  passwordless_sudo: flag(),
  phoneNumbers: list(PhoneNumberWrite),
  public_key: text(16_384),
  recoveryEmail: maybe(orNull(Type.Object({ address: emptyOr(Email) }, open))),
  relationships: list(Relationship),
  restrictedFields: list(RestrictedField),
  samba_service_user: flag(),
  state: maybe(orNull(UserState)),
  sudo: flag(),
  suspended: flag(),
  systemUsername: text(),
  unix_guid: whole(4_294_967_295),
  unix_uid: whole(4_294_967_295),
}

export const UserCreate = Type.Object(
  { username: Username, email: Email, activated: flag(), ...writable },
  { title: 'UserCreate', ...open },
)
export type UserCreate = Static<typeof UserCreate>

export const SshKeyWrite = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 1024 }),
    public_key: Type.String({ minLength: 1, maxLength: 16_384 }),
  },
  { title: 'SshKeyWrite', ...open },
)
export type SshKeyWrite = Static<typeof SshKeyWrite>

export const UserPut = Type.Object(
  {
    username: maybe(orNull(Username)),
    email: maybe(orNull(Email)),
    ...writable,
    ssh_keys: list(SshKeyWrite),
  },
  { title: 'UserPut', ...open },
)
export type UserPut = Static<typeof UserPut>

// Responses. Members may be left out by `fields`, or because they have no value.

// A type array instead of a union: for a union the serializer tries each schema on every value.
const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const dateOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const objectOrNull = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: ['object', 'null'] })

const said = maybe(Type.String())
const yes = maybe(Type.Boolean())
const when = maybe(dateOrNull)

export const SshKey = Type.Object(
  { _id: Id, id: Id, name: Type.String(), public_key: Type.String(), create_date: date },
  { title: 'SshKey' },
)
export type SshKey = Static<typeof SshKey>

const Enrollment = Type.Enum([
  'NOT_ENROLLED',
  'DISABLED',
  'PENDING_ACTIVATION',
  'ENROLLMENT_EXPIRED',
  'IN_ENROLLMENT',
  'PRE_ENROLLMENT',
  'ENROLLED',
])
export type Enrollment = Static<typeof Enrollment>

export const User = Type.Object(
  {
    _id: Id,
    id: Id,
    account_locked: yes,
    account_locked_date: when,
    activated: yes,
    addresses: maybe(
      Type.Array(
        Type.Object({
          id: Type.String(),
          type: said,
          poBox: said,
          extendedAddress: said,
          streetAddress: said,
          locality: said,
          region: said,
          postalCode: said,
          country: said,
        }),
      ),
    ),
    admin: maybe(
      objectOrNull(
        Type.Object({
          id: Type.String(),
          roleName: Type.String(),
          roleNames: Type.Array(Type.String()),
        }),
      ),
    ),
    allow_public_key: yes,
    alternateEmail: said,
    attributes: maybe(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
    badLoginAttempts: maybe(Type.Integer()),
    company: said,
    costCenter: said,
    created: maybe(date),
    creationSource: said,
    delegatedAuthority: maybe(objectOrNull(Type.Object({ id: said, name: said }))),
    department: said,
    description: said,
    disableDeviceMaxLoginAttempts: yes,
    displayname: said,
    email: said,
    employeeIdentifier: maybe(textOrNull),
    employeeType: said,
    enable_managed_uid: yes,
    enable_user_portal_multifactor: yes,
    external_dn: said,
    external_password_expiration_date: maybe(date),
    external_source_type: said,
    externally_managed: yes,
    firstname: said,
    jobTitle: said,
    lastname: said,
    ldap_binding_user: yes,
    location: said,
    managedAppleId: said,
    manager: maybe(textOrNull),
    memberof: maybe(
      Type.Array(Type.String(), { description: 'Ids of groups; only in search results' }),
    ),
    mfa: maybe(
      Type.Object({
        configured: Type.Boolean(),
        exclusion: Type.Boolean(),
        exclusionDays: maybe(Type.Integer()),
        exclusionUntil: maybe(date),
      }),
    ),
    mfaEnrollment: maybe(
      Type.Object({
        overallStatus: Enrollment,
        totpStatus: Enrollment,
        pushStatus: Enrollment,
        webAuthnStatus: Enrollment,
        jcGoStatus: Enrollment,
      }),
    ),
    middlename: said,
    organization: said,
    password_date: when,
    password_expiration_date: when,
    password_expired: yes,
    password_never_expires: yes,
    passwordless_sudo: yes,
    phoneNumbers: maybe(Type.Array(Type.Object({ id: Type.String(), type: said, number: said }))),
    public_key: said,
    recoveryEmail: maybe(
      Type.Object({ address: Type.String(), verified: Type.Boolean(), verifiedAt: maybe(date) }),
    ),
    relationships: maybe(Type.Array(Type.Object({ type: Type.String(), value: Type.String() }))),
    restrictedFields: maybe(
      Type.Array(Type.Object({ field: Type.String(), id: said, type: said })),
    ),
    samba_service_user: yes,
    ssh_keys: maybe(Type.Array(SshKey)),
    state: maybe(UserState),
    sudo: yes,
    suspended: yes,
    systemUsername: said,
    totp_enabled: yes,
    unix_guid: maybe(Type.Integer()),
    unix_uid: maybe(Type.Integer()),
    username: said,
  },
  { title: 'User' },
)
export type User = Static<typeof User>

export const UserList = Type.Object(
  { totalCount: Type.Integer(), results: Type.Array(User) },
  { title: 'UserList' },
)

/** The error body for `fullValidationDetails=password`. */
export const PasswordRejection = Type.Object(
  {
    code: Type.Integer(),
    message: Type.String(),
    status: Type.String(),
    details: Type.Array(
      Type.Object({
        '@type': Type.String(),
        fieldViolationsList: Type.Array(
          Type.Object({ field: Type.String(), description: Type.String() }),
        ),
      }),
    ),
    reason: Type.String(),
  },
  { title: 'PasswordRejection' },
)
export const WriteQuery = Type.Object({
  fullValidationDetails: maybe(
    Type.String({ description: '"password": list every rule that the password breaks' }),
  ),
})

export const UserParams = Type.Object({ id: Type.String() })
export const Done = Type.String({ title: 'Done' })
export const Activate = Type.Object(
  {
    email: maybe(
      Type.Union([Type.Boolean(), Email, Type.Null()], {
        description: 'false: no mail; an address: send the mail there instead',
      }),
    ),
  },
  { title: 'UserActivate', ...open },
)
export const SetPassword = Type.Object(
  { password: Type.String({ minLength: 1, maxLength: 1024 }) },
  { title: 'UserSetPassword', ...open },
)
export const ReactivateMany = Type.Object(
  {
    isSelectAll: maybe(Type.Boolean()),
    models: Type.Array(Type.Object({ _id: Id }, open), { minItems: 1, maxItems: 1000 }),
  },
  { title: 'UsersReactivate', ...open },
)
export const TotpInfo = Type.Object({ enrollmentDate: orNull(date) }, { title: 'TotpInfo' })
/** These lists are always empty: there are no policies. */
export const PolicyResult = Type.Object({}, { title: 'PolicyResult', ...open })
/** These too: push endpoints cannot be enrolled. */
export const PushEndpoint = Type.Object({}, { title: 'PushEndpointResponse', ...open })
