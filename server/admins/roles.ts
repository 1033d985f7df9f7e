import { forbidden, invalid } from '../platform/errors.ts'

/** All scopes by area. Routes require them; custom roles and narrowed keys choose from them. */
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
  // Root on systems is a separate permission from managing systems and their users.
  systems: ['systems', 'systems.readonly', 'systems.sudo'],
  users: ['users', 'users.readonly'],
} as const

export const SCOPES: readonly string[] = Object.values(SCOPE_GROUPS).flat()

/** The scopes of a system that signs its own requests; no role or key can have them. */
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
 * The only definition of the built-in roles. A Manager cannot change administrators or organizations; Help Desk manages
 * users and their second factors; a Command Runner cannot read events.
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
    description:
      'Manages users, devices and applications; reads administrators and organization settings',
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
    description: 'Manages users and their second factors; reads everything else',
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
    description: 'Runs commands and manages billing',
    scopes: ['commandrunner.legacy', ...BILLING],
  },
]

export const builtInRole = (idOrName: string): Role | undefined =>
  BUILT_IN_ROLES.find(
    (role) => role.id === idOrName || role.name.toLowerCase() === idOrName.toLowerCase(),
  )

export function checkScopes(scopes: readonly string[]): void {
  const unknown = scopes.find((scope) => !SCOPES.includes(scope))
  if (unknown !== undefined) throw invalid('unknown_scope', `scopes: unknown scope "${unknown}"`)
}

/** Callers cannot grant scopes they do not hold, or a narrowed key could widen itself. */
export function checkMayGrant(held: ReadonlySet<string>, granted: Iterable<string>): void {
  const missing = [...granted].filter((scope) => !held.has(scope))
  if (missing.length > 0) {
    throw forbidden(
      'grant_exceeds_own',
      `Forbidden: this would grant scopes that you do not hold: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`,
    )
  }
}
