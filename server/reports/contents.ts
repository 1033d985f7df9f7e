import { applications, devices, directories, userGroups } from './bindings.ts'
import type { Content } from './content.ts'
import { accountHealth, osVersion } from './records.ts'
import type { ReportType } from './types.ts'

export const CONTENTS: Record<ReportType, Content> = {
  'os-version': osVersion,
  'user-account-health': accountHealth,
  'users-to-devices': devices,
  'users-to-directories': directories,
  'users-to-sso-applications': applications,
  'users-to-user-groups': userGroups,
}
