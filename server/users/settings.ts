import { getOrganization, settingsOf } from '../organizations/index.ts'
import type { Queryable } from '../platform/db/index.ts'
import type { RestrictedField } from './fields.ts'
import type { PasswordPolicy } from './passwords/policy.ts'
import type { UserState } from './schema.ts'

/** How a user comes in; each way has a default state of its own. */
export type EntryWay = 'manualEntry' | 'csvImport' | 'applicationImport'

/** What an organization decides about its users. */
export interface UserSettings {
  passwordPolicy: PasswordPolicy
  newSystemUserStateDefaults: Record<EntryWay, UserState>
  systemUserDefaults: { restrictedFields: RestrictedField[] }
  /** Zero: as many as it likes. */
  maxSystemUsers: number
}

export const userSettings = async (db: Queryable, organizationId: string): Promise<UserSettings> =>
  settingsOf(await getOrganization(db, organizationId)) as unknown as UserSettings
