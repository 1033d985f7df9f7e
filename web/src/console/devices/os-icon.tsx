import {
  type Icon,
  IconBrandApple,
  IconBrandDebian,
  IconBrandRedhat,
  IconBrandUbuntu,
  IconBrandWindows,
  IconDeviceDesktop,
} from '@tabler/icons-react'
import type { Device } from './device.ts'

const ICONS: [RegExp, Icon][] = [
  [/debian/i, IconBrandDebian],
  [/ubuntu/i, IconBrandUbuntu],
  [/red ?hat/i, IconBrandRedhat],
  [/mac|darwin/i, IconBrandApple],
  [/windows/i, IconBrandWindows],
]

export function OsIcon({ device, size }: { device: Device; size: number }) {
  const [, Icon] = ICONS.find(([name]) => name.test(device.os ?? '')) ?? []
  const Shown = Icon ?? IconDeviceDesktop
  return <Shown size={size} stroke={1.5} aria-hidden />
}
