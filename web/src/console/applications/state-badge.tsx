import { IconCircleCheck, IconCirclePause } from '@tabler/icons-react'
import { Tag } from '../../ui/tag.tsx'

export const StateBadge = ({ active }: { active: boolean | undefined }) =>
  active ? (
    <Tag tone="good" Icon={IconCircleCheck}>
      Active
    </Tag>
  ) : (
    <Tag tone="warn" Icon={IconCirclePause}>
      Inactive
    </Tag>
  )
