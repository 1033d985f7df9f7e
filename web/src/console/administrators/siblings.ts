import type { Sibling } from '../resource/list-declaration.ts'

/** Who may do what here: people, roles, keys and programs. */
export const SIBLINGS: Sibling[] = [
  { path: 'administrators', label: 'Administrators' },
  { path: 'roles', label: 'Roles' },
  { path: 'api-keys', label: 'API keys' },
  { path: 'service-accounts', label: 'Service accounts' },
]
