import type { Create } from './source.ts'

type Operations = Create['operations']

/** What a run does. */
export const OPERATIONS: { value: string; label: string; operations: Operations }[] = [
  {
    value: 'both',
    label: 'Create and update users',
    operations: ['users.create', 'users.update'],
  },
  { value: 'create', label: 'Only create users', operations: ['users.create'] },
  { value: 'update', label: 'Only update users', operations: ['users.update'] },
]

export const operationsOf = (operations: Operations = []): string =>
  operations.length === 1 ? operations[0]!.replace('users.', '') : 'both'
