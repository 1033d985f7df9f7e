import { forbidden, invalid } from '../platform/errors.ts'

/** Every scope, by the area it belongs to. Routes name theirs; custom roles and narrowed keys choose from here. */
export const SCOPE_GROUPS = {
  administrators: ['administrators', 'administrators.readonly'],
  applications: [
    'applications',
    'applications.create',
    'applications.update',
    'applications.delete',
    'applications.readonly',
  ],
  applicationtemplates: ['applicationtemplates', 'applicationtemplates.readonly'],
  associations: ['associations', 'associations.applications', 'associations.applications.readonly'],
  authn: ['authn', 'authn.readonly'],
  billing: ['billing', 'organizations.billing'],
  commands: ['commands', 'commands.readonly', 'commands.schedule', 'commandrunner.legacy'],
  directories: ['directories', 'directories.readonly'],
  groups: ['groups', 'groups.readonly'],
  insights: ['insights', 'insights.readonly', 'insights.ingest', 'insights.import'],
  mfa: ['mfa', 'mfa.readonly'],
  organizations: ['organizations', 'organizations.readonly'],
  providers: ['providers', 'providers.readonly'],
  radius: ['radius', 'radius.readonly'],
  // Root on systems is a right of its own, beside that to manage them and those who use them.
  systems: ['systems', 'systems.readonly', 'systems.sudo'],
  users: ['users', 'users.readonly'],
} as const

export const SCOPES: readonly string[] = Object.values(SCOPE_GROUPS).flat()

/** What a system holds when it signs for itself; no role and no key can have these. */
export const SYSTEM_SCOPES: readonly string[] = ['systems.self', 'groups.self', 'users.self']

const BILLING: readonly string[] = SCOPE_GROUPS.billing
const readonly = SCOPES.filter((scope) => scope.endsWith('.readonly'))
const everythingElse = SCOPES.filter((scope) => !BILLING.includes(scope))

export interface Role {
  id: string
  name: string
  description: string
  scopes: readonly string[]
}

/**
 * The built-in roles: this table is the only place that says what a role may do. Administrators and
 * organizations themselves are beyond a Manager; Help Desk helps people; a Command Runner sees no events.
 */
export const BUILT_IN_ROLES: readonly Role[] = [
  {
    id: '000000000000000000000001',
    name: 'Administrator with Billing',
    description: 'Everything',
    scopes: SCOPES,
  },
  {
    id: '000000000000000000000002',
    name: 'Administrator',
    description: 'Everything but billing',
    scopes: everythingElse,
  },
  {
    id: '000000000000000000000003',
    name: 'Manager',
    description: 'People, devices and applications; reads administrators and organization settings',
    scopes: everythingElse.filter(
      (scope) =>
        ![
          'administrators',
          'organizations',
          'providers',
          'insights.ingest',
          'insights.import',
        ].includes(scope),
    ),
  },
  {
    id: '000000000000000000000004',
    name: 'Help Desk',
    description: 'Helps people with passwords and second factors; reads the rest',
    scopes: [...readonly, 'users', 'mfa'],
  },
  {
    id: '000000000000000000000005',
    name: 'Read Only',
    description: 'Reads everything',
    scopes: readonly,
  },
  {
    id: '000000000000000000000006',
    name: 'Command Runner',
    description: 'Runs commands',
    scopes: ['commandrunner.legacy'],
  },
  {
    id: '000000000000000000000007',
    name: 'Command Runner with Billing',
    description: 'Runs commands and sees bills',
    scopes: ['commandrunner.legacy', ...BILLING],
  },
]

export const builtInRole = (idOrName: string): Role | undefined =>
  BUILT_IN_ROLES.find(
    (role) => role.id === idOrName || role.name.toLowerCase() === idOrName.toLowerCase(),
  )

export function checkScopes(scopes: readonly string[]): void {
  const unknown = scopes.find((scope) => !SCOPES.includes(scope))
  if (unknown !== undefined)
    throw invalid('unknown_scope', `scopes: there is no scope "${unknown}"`)
}

/** Nobody hands out more than they hold, or a narrow key could make itself a wide one. */
export function checkMayGrant(held: ReadonlySet<string>, granted: Iterable<string>): void {
  const missing = [...granted].filter((scope) => !held.has(scope))
  if (missing.length > 0) {
    throw forbidden(
      'grant_exceeds_own',
      `Forbidden: you do not hold what this would grant: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`,
    )
  }
}
