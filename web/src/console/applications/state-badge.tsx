import { Tag } from '../../ui/tag.tsx'

export const StateBadge = ({ active }: { active: boolean | undefined }) =>
  active ? <Tag tone="good">Active</Tag> : <Tag tone="warn">Inactive</Tag>
