import { type Static, Type } from 'typebox'

const count = (description: string) => Type.Optional(Type.Integer({ description }))

export const Attention = Type.Object(
  {
    lockedUsers: count('Users who are locked out'),
    expiredPasswords: count('Users whose password has expired'),
    usersWithoutMfa: count('Activated users without a second factor'),
    unseenSystems: count('Systems without contact for 14 days'),
    expiringCertificates: count('Applications whose certificate ends within 30 days'),
    failingProvisioning: count(
      'Applications whose SCIM connection is stopped, held or has failing accounts',
    ),
    parkedImports: count('Imports that wait for a confirmation'),
    failedJobs: count('Imports and bulk jobs that failed within 7 days'),
    failingForwarders: count('Forwarders whose receiver cannot be reached'),
  },
  { title: 'Attention' },
)
export type Attention = Static<typeof Attention>

const HIT_TYPES = [
  'user',
  'user_group',
  'system_group',
  'system',
  'application',
  'administrator',
] as const

export const SearchHit = Type.Object(
  {
    type: Type.Enum([...HIT_TYPES]),
    id: Type.String(),
    name: Type.String(),
    about: Type.String({ description: 'Tells hits of one name apart, such as an e-mail address' }),
  },
  { title: 'SearchHit' },
)
export type SearchHit = Static<typeof SearchHit>
