/** Everything that can stand in the graph, by the names of the API. */
export const NODE_TYPES = [
  'user',
  'user_group',
  'system',
  'system_group',
  'application',
  'command',
  'policy',
  'policy_group',
  'software_app',
  'active_directory',
  'g_suite',
  'office_365',
  'ldap_server',
  'radius_server',
  'idp_routing_policy',
  'password_manager_item',
] as const
export type NodeType = (typeof NODE_TYPES)[number]

export interface NodeRef {
  type: NodeType
  id: string
}

/** What people are given, directly or through their groups. */
const GIVEN_TO_PEOPLE: readonly NodeType[] = [
  'active_directory',
  'application',
  'g_suite',
  'idp_routing_policy',
  'ldap_server',
  'office_365',
  'password_manager_item',
  'radius_server',
  'system',
  'system_group',
]
/** What systems are given. */
const GIVEN_TO_SYSTEMS: readonly NodeType[] = ['command', 'policy', 'policy_group', 'software_app']

/** Who can be bound to what, each pair once: from the one who gains to what is gained. */
const ASSOCIATIONS: Partial<Record<NodeType, readonly NodeType[]>> = {
  user: GIVEN_TO_PEOPLE,
  user_group: GIVEN_TO_PEOPLE,
  system: GIVEN_TO_SYSTEMS,
  system_group: GIVEN_TO_SYSTEMS,
}

/** A group and what its members are. */
const MEMBERS: Partial<Record<NodeType, NodeType>> = {
  user_group: 'user',
  system_group: 'system',
  policy_group: 'policy',
}

export const memberTypeOf = (group: NodeType): NodeType | undefined => MEMBERS[group]
export const groupTypeOf = (member: NodeType): NodeType | undefined =>
  NODE_TYPES.find((type) => MEMBERS[type] === member)

const gains = (a: NodeType, b: NodeType): boolean => ASSOCIATIONS[a]?.includes(b) === true

/** An association is symmetric: from either side it is the same edge. */
export const canAssociate = (a: NodeType, b: NodeType): boolean => gains(a, b) || gains(b, a)

export const associableWith = (type: NodeType): NodeType[] =>
  NODE_TYPES.filter((other) => canAssociate(type, other))

/** True when the edge between the two is stored from `a` to `b`, false when the other way round. */
export const isForward = (a: NodeType, b: NodeType): boolean => gains(a, b) || MEMBERS[a] === b

/** Both ends of an edge as it is stored, whichever was named first. */
export const ordered = (a: NodeRef, b: NodeRef) =>
  isForward(a.type, b.type) ? { from: a, to: b } : { from: b, to: a }

export const DIRECTORY_TYPES: readonly NodeType[] = [
  'active_directory',
  'g_suite',
  'ldap_server',
  'office_365',
]
