import type { Role } from './roles.ts'
import type { Administrator, ProviderAdministrator } from './schema.ts'
import type { AdministratorDetail } from './store.ts'

const keyHash = (row: AdministratorDetail) =>
  row.key_prefix === null
    ? {}
    : {
        apiKeyHash: {
          createdAt: row.key_created!,
          expireAt: row.key_expires_at,
          lastUsedAt: row.key_last_used_at,
          prefix: row.key_prefix,
          ...(row.key_scopes && { scopes: row.key_scopes }),
        },
      }

function roleMembers(roles: Role[]) {
  const [first] = roles
  return {
    role: first?.id ?? '',
    roleName: first?.name ?? '',
    roles: roles.map((r) => r.id),
    roleNames: roles.map((r) => r.name),
  }
}

export const toAdministrator = (row: AdministratorDetail, roles: Role[]): Administrator => ({
  _id: row.id,
  id: row.id,
  apiKeyAllowed: row.api_key_allowed,
  ...keyHash(row),
  apiKeySet: row.key_prefix !== null,
  apiKeyUpdatedAt: row.key_created,
  created: row.created,
  disableIntroduction: row.disable_introduction,
  email: row.email,
  enableMultiFactor: row.enable_multi_factor,
  firstname: row.firstname,
  growthData: row.growth_data,
  lastWhatsNewChecked: row.last_whats_new_checked,
  lastname: row.lastname,
  organization: row.organization,
  passwordUpdatedAt: row.password_updated_at,
  provider: row.provider,
  registered: row.password_hash !== null,
  ...roleMembers(roles),
  sessionCount: row.session_count,
  suspended: row.suspended,
  totpEnrolled: row.totp_secret !== null,
  totpUpdatedAt: row.totp_updated_at,
  usersTimeZone: row.users_time_zone,
})

export const toProviderAdministrator = (
  row: AdministratorDetail,
  roles: Role[],
): ProviderAdministrator => ({
  _id: row.id,
  id: row.id,
  email: row.email,
  firstname: row.firstname,
  lastname: row.lastname,
  registered: row.password_hash !== null,
  suspended: row.suspended,
  enableMultiFactor: row.enable_multi_factor,
  apiKeyAllowed: row.api_key_allowed,
  apiKeySet: row.key_prefix !== null,
  ...keyHash(row),
  ...roleMembers(roles),
  organizationAccessTotal: row.organization_total,
})

/** The administrator as the resource of an event. */
export const resourceOf = ({ id, email }: { id: string; email: string }) => ({
  type: 'admin',
  id,
  email,
})
