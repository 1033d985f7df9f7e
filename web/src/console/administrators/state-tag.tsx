import { IconCircleCheck, IconCirclePause, IconMail } from '@tabler/icons-react'
import { Tag } from '../../ui/tag.tsx'
import type { Administrator } from './administrator.ts'

export function StateTag({ admin }: { admin: Administrator }) {
  if (admin.suspended)
    return (
      <Tag tone="warn" Icon={IconCirclePause}>
        Suspended
      </Tag>
    )
  if (!admin.registered)
    return (
      <Tag tone="calm" Icon={IconMail}>
        Invited
      </Tag>
    )
  return (
    <Tag tone="good" Icon={IconCircleCheck}>
      Active
    </Tag>
  )
}
