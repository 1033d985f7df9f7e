import { DIRECTORY_TYPES, type NodeType } from './pairs.ts'

/** The URL of a node type, with the operation ids and scopes of the routes below it. */
export interface Address {
  type: NodeType
  path: string
  /** Part of the published operation ids. */
  param: string
  /** As in graph_userAssociationsList. */
  legacy: string
  read: readonly string[]
  write: readonly string[]
  traversals: readonly SubPath[]
  /** Scopes for a record that signs its own requests, by sub-path. */
  self?: Readonly<Record<string, string>>
}

const rights = (area: string): Pick<Address, 'read' | 'write'> => ({
  read: [area, `${area}.readonly`],
  write: [area],
})

interface Reach {
  types: readonly NodeType[]
  /** As in graph_userTraverseApplication. */
  legacy: string
  scopes: readonly string[]
}

const reach = (legacy: string, area: string, ...types: NodeType[]): Reach => ({
  types,
  legacy,
  scopes: rights(area).read,
})

/** The traversals below an address. */
export const SUB_PATHS = {
  applications: reach('Application', 'applications', 'application'),
  systems: reach('System', 'systems', 'system'),
  systemgroups: reach('SystemGroup', 'groups', 'system_group'),
  users: reach('User', 'users', 'user'),
  usergroups: reach('UserGroup', 'groups', 'user_group'),
  commands: reach('Command', 'commands', 'command'),
  policies: reach('Policy', 'systems', 'policy'),
  policygroups: reach('PolicyGroup', 'groups', 'policy_group'),
  directories: reach('Directory', 'directories', ...DIRECTORY_TYPES),
  activedirectories: reach('ActiveDirectory', 'directories', 'active_directory'),
  gsuites: reach('GSuite', 'directories', 'g_suite'),
  ldapservers: reach('LdapServer', 'directories', 'ldap_server'),
  office365s: reach('Office365', 'directories', 'office_365'),
  radiusservers: reach('RadiusServer', 'radius', 'radius_server'),
} satisfies Record<string, Reach>
type SubPath = keyof typeof SUB_PATHS

const OF_PEOPLE: readonly SubPath[] = [
  'applications',
  'systems',
  'systemgroups',
  'directories',
  'activedirectories',
  'gsuites',
  'ldapservers',
  'office365s',
  'radiusservers',
  'policies',
  'policygroups',
]
const OF_SYSTEMS: readonly SubPath[] = [
  'users',
  'usergroups',
  'commands',
  'policies',
  'policygroups',
]
const PEOPLE: readonly SubPath[] = ['users', 'usergroups']
const SYSTEMS: readonly SubPath[] = ['systems', 'systemgroups']

const directory = (type: NodeType, path: string, param: string, legacy: string): Address => ({
  type,
  path,
  param,
  legacy,
  ...rights('directories'),
  traversals: PEOPLE,
})

export const ADDRESSES: readonly Address[] = [
  {
    type: 'user',
    path: 'users',
    param: 'user_id',
    legacy: 'user',
    ...rights('users'),
    traversals: OF_PEOPLE,
  },
  {
    type: 'user_group',
    path: 'usergroups',
    param: 'group_id',
    legacy: 'userGroup',
    ...rights('groups'),
    traversals: OF_PEOPLE,
  },
  {
    type: 'system',
    path: 'systems',
    param: 'system_id',
    legacy: 'system',
    ...rights('systems'),
    traversals: OF_SYSTEMS,
    self: { associations: 'systems.self', memberof: 'groups.self', users: 'users.self' },
  },
  {
    type: 'system_group',
    path: 'systemgroups',
    param: 'group_id',
    legacy: 'systemGroup',
    ...rights('groups'),
    traversals: OF_SYSTEMS,
  },
  {
    type: 'application',
    path: 'applications',
    param: 'application_id',
    legacy: 'application',
    read: ['associations.applications', 'associations.applications.readonly'],
    write: ['associations.applications', 'associations'],
    traversals: PEOPLE,
  },
  {
    type: 'command',
    path: 'commands',
    param: 'command_id',
    legacy: 'command',
    ...rights('commands'),
    traversals: SYSTEMS,
  },
  {
    type: 'policy',
    path: 'policies',
    param: 'policy_id',
    legacy: 'policy',
    ...rights('systems'),
    traversals: SYSTEMS,
  },
  {
    type: 'policy_group',
    path: 'policygroups',
    param: 'group_id',
    legacy: 'policyGroup',
    ...rights('groups'),
    traversals: SYSTEMS,
  },
  {
    type: 'software_app',
    path: 'softwareapps',
    param: 'software_app_id',
    legacy: 'softwareapps',
    ...rights('systems'),
    traversals: SYSTEMS,
  },
  directory('active_directory', 'activedirectories', 'activedirectory_id', 'activeDirectory'),
  directory('g_suite', 'gsuites', 'gsuite_id', 'gSuite'),
  directory('office_365', 'office365s', 'office365_id', 'office365'),
  directory('ldap_server', 'ldapservers', 'ldapserver_id', 'ldapServer'),
  {
    ...directory('radius_server', 'radiusservers', 'radiusserver_id', 'radiusServer'),
    ...rights('radius'),
  },
]

/** Routes without an operation id of the older kind: no published description has one. */
export const WITHOUT_LEGACY_ID: ReadonlySet<string> = new Set([
  'users/policies',
  'users/policygroups',
  'usergroups/policies',
  'usergroups/policygroups',
])
