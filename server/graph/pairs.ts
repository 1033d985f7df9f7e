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
