import { Tag } from '../../ui/tag.tsx'
import type { Device } from './device.ts'

/** Whether the agent has reported lately. */
export const StatusTag = ({ device: { active } }: { device: Device }) =>
  active ? <Tag tone="good">Online</Tag> : <Tag tone="calm">Offline</Tag>
