import type { Sibling } from '../resource/list-declaration.ts'

/** Commands, and their runs that devices have not answered yet. */
export const SIBLINGS: Sibling[] = [
  { path: 'commands', label: 'Commands' },
  { path: 'command-runs', label: 'Waiting', scope: 'commands' },
]
