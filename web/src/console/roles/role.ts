import type { components } from '../../../../client/index.ts'
import { type Api, dataOf } from '../../api/organization.ts'

export type Role = components['schemas']['Role']

/** The ids of built-in roles are small numbers. */
export const isBuiltIn = ({ id }: Role): boolean => id.startsWith('0000000000000000')

export const rolesKey = ['roles']

export const readRoles = async (api: Api) =>
  dataOf(await api.management.GET('/v2/roles', { params: { query: { limit: 100 } } })).results

export const scopesKey = ['roles', 'scopes']

export const readScopes = async (api: Api) =>
  dataOf(await api.management.GET('/v2/scope-groups')).results

/** Names of areas as the console shows them. */
const AREAS: Record<string, string> = {
  administrators: 'Administrators',
  applications: 'Applications',
  applicationtemplates: 'Application catalogue',
  associations: 'Assignments',
  authn: 'Authentication',
  billing: 'Billing',
  commands: 'Commands',
  directories: 'Directories and imports',
  groups: 'Groups',
  insights: 'Insights',
  mfa: 'Second factors',
  organizations: 'Organization settings',
  providers: 'Provider',
  radius: 'RADIUS',
  systems: 'Devices',
  users: 'Users',
}

export const areaOf = (name: string): string => AREAS[name] ?? name
