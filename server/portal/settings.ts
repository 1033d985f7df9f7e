import { getOrganization, settingsOf } from '../organizations/index.ts'
import type { Queryable } from '../platform/db/index.ts'
import type { SignInPolicy } from './next-step.ts'

/** The organization's settings for sign-in. */
export interface PortalSettings {
  organizationName: string
  /** A data URL. */
  logo: unknown
  passwordPolicy: SignInPolicy
  userPortal: { cookieExpirationType: 'session' | 'date'; idleSessionDurationMinutes: number }
}

export async function portalSettings(
  db: Queryable,
  organizationId: string,
): Promise<PortalSettings> {
  const organization = await getOrganization(db, organizationId)
  const settings = settingsOf(organization) as unknown as PortalSettings
  return { ...settings, organizationName: organization.name }
}
