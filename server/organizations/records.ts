import type { Organization, OrganizationSummary, Provider, ProviderOrganization } from './schema.ts'
import { COMPLIANCE, DEFAULT_SETTINGS, mergeSettings } from './settings.ts'
import type { OrganizationRow, ProviderRow } from './store.ts'

/** All settings, with defaults filled in and the password policy in force. */
export function settingsOf(row: OrganizationRow): Record<string, unknown> {
  const settings = mergeSettings(DEFAULT_SETTINGS, row.settings)
  const required = COMPLIANCE[String(settings.passwordCompliance)]
  return {
    ...(required ? mergeSettings(settings, { passwordPolicy: required }) : settings),
    name: row.name,
    maxSystemUsers: row.max_system_users,
  }
}

/** What every credential of an organization may see: clients check their key this way. */
export const toBrief = (row: OrganizationRow): OrganizationSummary => ({
  _id: row.id,
  id: row.id,
  displayName: row.name,
})

export const toSummary = (row: OrganizationRow): OrganizationSummary => ({
  _id: row.id,
  id: row.id,
  displayName: row.name,
  logoUrl: row.logo_url,
  created: row.created,
})

export const toOrganization = (row: OrganizationRow): Organization => ({
  ...toSummary(row),
  provider: row.provider,
  hasCreditCard: false,
  hasStripeCustomerId: false,
  totalBillingEstimate: 0,
  settings: settingsOf(row),
})

export const toProviderOrganization = (row: OrganizationRow): ProviderOrganization => ({
  id: row.id,
  name: row.name,
  maxSystemUsers: row.max_system_users,
  created: row.created,
})

export const toProvider = (row: ProviderRow): Provider => ({
  id: row.id,
  name: row.name,
  disallowOrgCreation: row.disallow_org_creation,
  contact: row.contact,
})
