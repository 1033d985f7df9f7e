import { type Static, Type } from 'typebox'

// The API of the user pages; web/ imports its types from here.

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

export const Password = Type.String({ minLength: 1, maxLength: 1024 })
export const Code = Type.Object({ code: Type.String({ minLength: 1, maxLength: 64 }) })
export const Status = Type.Object({ status: Type.String() })

export const SignInRequest = Type.Object({
  /** E-mail address or username. */
  identifier: Type.String({ minLength: 1, maxLength: 1024 }),
  password: Password,
  /** Needed when several organizations have a user of that name. */
  organization: Type.Optional(Type.String()),
  /** The path the user is on the way to. Not followed; a denied sign-in is reported to it. */
  continue: Type.Optional(Type.String()),
})
export type SignInRequest = Static<typeof SignInRequest>
export const ResetRequest = Type.Omit(SignInRequest, ['password', 'continue'])
export type ResetRequest = Static<typeof ResetRequest>

const Step = Type.Enum([
  'signed_in',
  'totp_required',
  'password_expired',
  'totp_enrollment_required',
])

/** The progress of a sign-in. */
export const SessionAnswer = Type.Object({
  status: Step,
  csrfToken: Type.String(),
  expiresAt: Type.String(),
  username: Type.String(),
  email: Type.String(),
  firstname: Type.String(),
  displayName: Type.String(),
  organization: Type.Object({
    id: Type.String(),
    name: Type.String(),
    /** Address of the image. */
    logo: Nullable(Type.String()),
  }),
})
export type SessionAnswer = Static<typeof SessionAnswer>

/** No session. Not an error: pages ask for the session on every load. */
export const SignedOut = Type.Object({ status: Type.Literal('signed_out') })
export type SignedOut = Static<typeof SignedOut>

/** The password matches in several organizations. */
export const OrganizationChoice = Type.Object({
  status: Type.Literal('choose_organization'),
  organizations: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
})
export type OrganizationChoice = Static<typeof OrganizationChoice>

export const SignOutAnswer = Type.Object({
  status: Type.String(),
  /** Where the browser continues, to sign out of applications too. */
  continueTo: Nullable(Type.String()),
})
export type SignOutAnswer = Static<typeof SignOutAnswer>

/** `minimum`: of the rule minLength, for pages that check while the user types. */
const PasswordRule = Type.Object({
  rule: Type.String(),
  message: Type.String(),
  minimum: Type.Optional(Type.Integer()),
})
export const PasswordRules = Type.Object({ rules: Type.Array(PasswordRule) })
export type PasswordRules = Static<typeof PasswordRules>

export const LinkRequest = Type.Object({
  organization: Type.String(),
  token: Type.String({ minLength: 1, maxLength: 256 }),
})
export const LinkAnswer = Type.Object({
  /** The first password of an account, or a replacement. */
  purpose: Type.Enum(['activation', 'reset']),
  username: Type.String(),
  firstname: Type.String(),
  organizationName: Type.String(),
  ...PasswordRules.properties,
})
export type LinkAnswer = Static<typeof LinkAnswer>

/** For a lost device; shown only once. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) })
export type RecoveryCodes = Static<typeof RecoveryCodes>
export const EnrollmentAnswer = Type.Object({
  ...SessionAnswer.properties,
  ...RecoveryCodes.properties,
})
export type EnrollmentAnswer = Static<typeof EnrollmentAnswer>

export const TotpEnrollment = Type.Object({ secret: Type.String(), otpauthUrl: Type.String() })
export type TotpEnrollment = Static<typeof TotpEnrollment>

export const Profile = Type.Object({
  username: Type.String(),
  email: Type.String(),
  firstname: Type.String(),
  middlename: Type.String(),
  lastname: Type.String(),
  displayname: Type.String(),
  company: Type.String(),
  department: Type.String(),
  jobTitle: Type.String(),
  location: Type.String(),
  employeeIdentifier: Nullable(Type.String()),
  employeeType: Type.String(),
  manager: Nullable(Type.Object({ name: Type.String(), email: Type.String() })),
  phoneNumbers: Type.Array(Type.Object({ type: Type.String(), number: Type.String() })),
  organizationName: Type.String(),
})
export type Profile = Static<typeof Profile>

export const Security = Type.Object({
  passwordSetAt: Nullable(Type.String()),
  passwordExpiresAt: Nullable(Type.String()),
  totp: Type.Object({
    enrolled: Type.Boolean(),
    enrolledAt: Nullable(Type.String()),
    /** Required by the organization, so it cannot be removed. */
    required: Type.Boolean(),
    recoveryCodesLeft: Type.Integer(),
  }),
})
export type Security = Static<typeof Security>

export const Session = Type.Object({
  id: Type.String(),
  current: Type.Boolean(),
  created: Type.String(),
  seenAt: Type.String(),
  clientIp: Nullable(Type.String()),
  browser: Type.String(),
  system: Type.String(),
  methods: Type.Array(Type.Enum(['pwd', 'otp'])),
})
export type Session = Static<typeof Session>

export const ApplicationTile = Type.Object({
  id: Type.String(),
  name: Type.String(),
  displayLabel: Type.String(),
  /** A URL of this service, or null. */
  logo: Nullable(Type.String()),
  color: Nullable(Type.String()),
  /** The link target. */
  url: Type.String(),
  favourite: Type.Boolean(),
  /** When it was last opened from the portal. */
  openedAt: Nullable(Type.String()),
})
export type ApplicationTile = Static<typeof ApplicationTile>

export const TileUse = Type.Object({
  favourite: Type.Optional(Type.Boolean()),
  opened: Type.Optional(Type.Boolean()),
})
export type TileUse = Static<typeof TileUse>

/** What a user signs in for; null if it is not an application. */
export const Destination = Type.Object({
  application: Nullable(
    Type.Object({
      name: Type.String(),
      displayLabel: Type.String(),
      logo: Nullable(Type.String()),
      color: Nullable(Type.String()),
    }),
  ),
  organization: Nullable(Type.Object({ name: Type.String(), logo: Nullable(Type.String()) })),
})
export type Destination = Static<typeof Destination>
