import {
  type Icon,
  IconApps,
  IconBuildings,
  IconChartHistogram,
  IconClock,
  IconDeviceLaptop,
  IconDevices,
  IconKey,
  IconRobot,
  IconSettings,
  IconShieldLock,
  IconTerminal2,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Api } from '../api/organization.ts'
import { findCommands } from './commands/find.ts'

/** Something the palette found. */
interface Hit {
  id: string
  name: string
  about: string
}

/** What a folder of the console exports: the list, and the page of one object where there is one. */
interface AreaPages {
  List: ComponentType
  Detail?: ComponentType
}

export interface Area {
  /** In the address, and the name of the folder. */
  path: string
  label: string
  Icon: Icon
  /** Read scope of the API, without `.readonly`. */
  scope: string
  load: () => Promise<AreaPages>
  /** Also for those who may only run commands. */
  runs?: true
  /** The palette's search, for records that GET /v2/search does not cover. */
  find?: (api: Api, text: string) => Promise<Hit[]>
  /** Reached from this area instead of the sidebar. */
  below?: string
  /** Only for administrators of a provider. */
  provider?: true
  /** In the lower part of the sidebar: how the organization is run. */
  lower?: true
}

/** In the order of the sidebar. A new area is a folder and an entry here. */
export const AREAS: Area[] = [
  {
    path: 'users',
    label: 'Users',
    Icon: IconUsers,
    scope: 'users',
    load: () => import('./users/index.ts'),
  },
  {
    path: 'groups',
    label: 'Groups',
    Icon: IconUsersGroup,
    scope: 'groups',
    load: () => import('./groups/index.tsx'),
  },
  {
    path: 'device-groups',
    label: 'Device groups',
    Icon: IconDevices,
    scope: 'groups',
    load: () => import('./device-groups/index.tsx'),
    below: 'groups',
  },
  {
    path: 'devices',
    label: 'Devices',
    Icon: IconDeviceLaptop,
    scope: 'systems',
    load: () => import('./devices/index.ts'),
  },
  {
    path: 'commands',
    label: 'Commands',
    Icon: IconTerminal2,
    scope: 'commands',
    runs: true,
    load: () => import('./commands/index.ts'),
    find: findCommands,
  },
  {
    path: 'command-runs',
    label: 'Waiting runs',
    Icon: IconClock,
    scope: 'commands',
    load: () => import('./command-runs/index.ts'),
    below: 'commands',
  },
  {
    path: 'applications',
    label: 'Applications',
    Icon: IconApps,
    scope: 'applications',
    load: () => import('./applications/index.ts'),
  },
  {
    path: 'insights',
    label: 'Insights',
    Icon: IconChartHistogram,
    scope: 'insights',
    load: () => import('./insights/index.ts'),
  },
  {
    path: 'organizations',
    label: 'Organizations',
    Icon: IconBuildings,
    scope: 'providers',
    load: () => import('./organizations/index.ts'),
    provider: true,
    lower: true,
  },
  {
    path: 'administrators',
    label: 'Administrators',
    Icon: IconShieldLock,
    scope: 'administrators',
    load: () => import('./administrators/index.ts'),
    lower: true,
  },
  {
    path: 'roles',
    label: 'Roles',
    Icon: IconShieldLock,
    scope: 'administrators',
    load: () => import('./roles/index.ts'),
    below: 'administrators',
  },
  {
    path: 'api-keys',
    label: 'API keys',
    Icon: IconKey,
    scope: 'administrators',
    load: () => import('./api-keys/index.ts'),
    below: 'administrators',
  },
  {
    path: 'service-accounts',
    label: 'Service accounts',
    Icon: IconRobot,
    scope: 'administrators',
    load: () => import('./service-accounts/index.ts'),
    below: 'administrators',
  },
  {
    path: 'settings',
    label: 'Settings',
    Icon: IconSettings,
    scope: 'organizations',
    load: () => import('./settings/index.ts'),
    lower: true,
  },
]
