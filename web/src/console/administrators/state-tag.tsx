import { Tag } from '../../ui/tag.tsx'
import type { Administrator } from './administrator.ts'

export function StateTag({ admin }: { admin: Administrator }) {
  if (admin.suspended) return <Tag tone="warn">Suspended</Tag>
  if (!admin.registered) return <Tag tone="calm">Invited</Tag>
  return <Tag tone="good">Active</Tag>
}
