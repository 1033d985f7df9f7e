import { getOrganization, settingsOf } from '../organizations/index.ts'
import type { Queryable } from '../platform/db/index.ts'
import type { RestrictedField } from './fields.ts'
import type { PasswordPolicy } from './passwords/policy.ts'
import type { UserState } from './schema.ts'

/** How a user is created; each way has its own default state. */
export type EntryWay = 'manualEntry' | 'csvImport' | 'applicationImport'

/** The organization's settings for users. */
export interface UserSettings {
  passwordPolicy: PasswordPolicy
  newSystemUserStateDefaults: Record<EntryWay, UserState>
  systemUserDefaults: { restrictedFields: RestrictedField[] }
  /** Zero means no limit. */
  maxSystemUsers: number
}

export const userSettings = async (db: Queryable, organizationId: string): Promise<UserSettings> =>
  settingsOf(await getOrganization(db, organizationId)) as unknown as UserSettings
