import type { OidcApplication } from '../applications/index.ts'
import { opaque, type Person } from '../signon/index.ts'
import type { Scope } from './authorization-request.ts'

type Claims = Record<string, string | string[] | undefined>

/** OpenID Connect Core §8: stable per user, and if pairwise, different in each application. */
export const subjectOf = ({ organizationId, id, subjectType }: Subjects, userId: string): string =>
  subjectType === 'public' ? userId : opaque('subject', organizationId, id, userId)
type Subjects = Pick<OidcApplication, 'organizationId' | 'id' | 'subjectType'>

const CLAIMS: Record<Scope, (person: Person) => Claims> = {
  openid: () => ({}),
  email: ({ user }) => ({ email: user.email }),
  profile: ({ user }) => ({
    name: user.displayname || `${user.firstname ?? ''} ${user.lastname ?? ''}`.trim(),
    given_name: user.firstname,
    family_name: user.lastname,
    preferred_username: user.username,
  }),
  groups: ({ groups }) => ({ groups }),
}
export const CLAIM_NAMES = [
  'sub',
  'email',
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'groups',
]

/** The claims that the scopes grant, without empty ones. */
export function claimsFor(
  application: Subjects,
  person: Person,
  scopes: readonly Scope[],
): { sub: string } & Claims {
  const claims = scopes.flatMap((scope) => Object.entries(CLAIMS[scope](person)))
  return {
    sub: subjectOf(application, person.user.id),
    ...Object.fromEntries(claims.filter(([, value]) => value)),
  }
}
