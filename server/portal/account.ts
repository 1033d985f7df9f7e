import { describeDevice } from '../insights/index.ts'
import { findUser, type UserRow } from '../users/index.ts'
import type { Visit } from './authenticate.ts'
import type { PortalContext } from './context.ts'
import { organizationLogo } from './logo.ts'
import { countRecoveryCodes } from './recovery-code-store.ts'
import type { Profile, Security, Session, SessionAnswer } from './schema.ts'
import { csrfOf, type SignedIn, userNotFound } from './sessions.ts'
import { portalSettings } from './settings.ts'
import { listSessions, type SessionRow } from './store.ts'

const STATUS = {
  totp: 'totp_required',
  password: 'password_expired',
  enrollment: 'totp_enrollment_required',
} as const

const nameOf = ({ profile, firstname, lastname, username }: UserRow): string =>
  profile.displayname || [firstname, lastname].filter((part) => part !== '').join(' ') || username

export async function describeSession(
  { db }: PortalContext,
  user: UserRow,
  { session, token }: Pick<SignedIn, 'session' | 'token'>,
): Promise<SessionAnswer> {
  const id = user.organization_id
  const { organizationName, logo } = await portalSettings(db, id)
  return {
    status: session.owed === null ? 'signed_in' : STATUS[session.owed],
    csrfToken: csrfOf(token),
    expiresAt: session.expires_at,
    username: user.username,
    email: user.email,
    firstname: user.firstname,
    displayName: nameOf(user),
    organization: { id, name: organizationName, logo: organizationLogo(id, logo) },
  }
}

export async function describeProfile({ db }: PortalContext, user: UserRow): Promise<Profile> {
  const tenant = db.tenant(user.organization_id)
  const [{ organizationName }, manager] = await Promise.all([
    portalSettings(db, user.organization_id),
    user.manager === null ? undefined : findUser(tenant, user.organization_id, user.manager),
  ])
  const { profile } = user
  return {
    username: user.username,
    email: user.email,
    firstname: user.firstname,
    middlename: profile.middlename ?? '',
    lastname: user.lastname,
    displayname: profile.displayname ?? '',
    company: profile.company ?? '',
    department: profile.department ?? '',
    jobTitle: profile.jobTitle ?? '',
    location: profile.location ?? '',
    employeeIdentifier: user.employee_identifier,
    employeeType: profile.employeeType ?? '',
    manager: manager ? { name: nameOf(manager), email: manager.email } : null,
    phoneNumbers: (profile.phoneNumbers ?? []).map(({ type = '', number = '' }) => ({
      type,
      number,
    })),
    organizationName,
  }
}

export const describeSecurity = async (
  { db }: PortalContext,
  user: UserRow,
): Promise<Security> => ({
  passwordSetAt: user.password_date,
  passwordExpiresAt: user.password_expiration_date,
  totp: {
    enrolled: user.totp_secret !== null,
    enrolledAt: user.totp_enrolled_at,
    required: user.profile.enable_user_portal_multifactor ?? false,
    recoveryCodesLeft: await countRecoveryCodes(
      db.tenant(user.organization_id),
      user.organization_id,
      user.id,
    ),
  },
})

const toSessionEntry = (row: SessionRow): Omit<Session, 'current'> => ({
  id: row.id,
  created: row.created,
  seenAt: row.seen_at,
  clientIp: row.client_ip,
  ...describeDevice(row.useragent),
  methods: row.methods,
})

export async function sessionsOf({ db }: PortalContext, visit: Visit): Promise<Session[]> {
  const { organization_id, id } = visit.user
  const rows = await listSessions(db.tenant(organization_id), organization_id, id)
  return rows.map((row) => ({ ...toSessionEntry(row), current: row.id === visit.session.id }))
}

/** The same for an administrator. */
export async function sessionsOfUser(
  { db }: PortalContext,
  organizationId: string,
  userId: string,
) {
  const tenant = db.tenant(organizationId)
  if (!(await findUser(tenant, organizationId, userId))) throw userNotFound()
  return (await listSessions(tenant, organizationId, userId)).map(toSessionEntry)
}
