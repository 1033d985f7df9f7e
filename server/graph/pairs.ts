/** The node types of the graph, as the API names them. */
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

/** Resources that users get access to, directly or through groups. */
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
/** Resources that are applied to systems. */
const GIVEN_TO_SYSTEMS: readonly NodeType[] = ['command', 'policy', 'policy_group', 'software_app']

/** The permitted associations, each in its stored direction: from users or systems to resources. */
const ASSOCIATIONS: Partial<Record<NodeType, readonly NodeType[]>> = {
  user: GIVEN_TO_PEOPLE,
  user_group: GIVEN_TO_PEOPLE,
  system: GIVEN_TO_SYSTEMS,
  system_group: GIVEN_TO_SYSTEMS,
}

/** The member type of each group type. */
const MEMBERS: Partial<Record<NodeType, NodeType>> = {
  user_group: 'user',
  system_group: 'system',
  policy_group: 'policy',
}

export const memberTypeOf = (group: NodeType): NodeType | undefined => MEMBERS[group]
export const groupTypeOf = (member: NodeType): NodeType | undefined =>
  NODE_TYPES.find((type) => MEMBERS[type] === member)

const gains = (a: NodeType, b: NodeType): boolean => ASSOCIATIONS[a]?.includes(b) === true

/** Associations are symmetric: seen from either side it is the same edge. */
export const canAssociate = (a: NodeType, b: NodeType): boolean => gains(a, b) || gains(b, a)

export const associableWith = (type: NodeType): NodeType[] =>
  NODE_TYPES.filter((other) => canAssociate(type, other))

/** Whether the edge between the two is stored from `a` to `b`. */
export const isForward = (a: NodeType, b: NodeType): boolean => gains(a, b) || MEMBERS[a] === b

/** Both ends of an edge in its stored direction. */
export const ordered = (a: NodeRef, b: NodeRef) =>
  isForward(a.type, b.type) ? { from: a, to: b } : { from: b, to: a }

export const DIRECTORY_TYPES: readonly NodeType[] = [
  'active_directory',
  'g_suite',
  'ldap_server',
  'office_365',
]
