export const SIBLINGS = [
  { path: 'organizations', label: 'Organizations' },
  { path: 'organizations/provider', label: 'Provider' },
]
