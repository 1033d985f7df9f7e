import { Tag } from '../../ui/tag.tsx'
import { STATES, type State, type User } from './user.ts'

const TONES = {
  ACTIVATED: 'good',
  STAGED: 'calm',
  SUSPENDED: 'warn',
} as const satisfies Record<State, string>

export function StateBadge({ user }: { user: User }) {
  const state = user.state ?? 'ACTIVATED'
  if (user.account_locked && state === 'ACTIVATED') return <Tag tone="bad">Locked</Tag>
  return <Tag tone={TONES[state]}>{STATES[state]}</Tag>
}
