import {
  type Icon,
  IconApps,
  IconChartHistogram,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Api } from '../api/organization.ts'
import { findApplications } from './applications/find.ts'
import { findGroups } from './groups/find.ts'
import { findUsers } from './users/find.ts'

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
  /** The palette's search. */
  find?: (api: Api, text: string) => Promise<Hit[]>
}

/** In the order of the sidebar. A new area is a folder and an entry here. */
export const AREAS: Area[] = [
  {
    path: 'users',
    label: 'Users',
    Icon: IconUsers,
    scope: 'users',
    load: () => import('./users/index.ts'),
    find: findUsers,
  },
  {
    path: 'groups',
    label: 'Groups',
    Icon: IconUsersGroup,
    scope: 'groups',
    load: () => import('./groups/index.ts'),
    find: findGroups,
  },
  {
    path: 'applications',
    label: 'Applications',
    Icon: IconApps,
    scope: 'applications',
    load: () => import('./applications/index.ts'),
    find: findApplications,
  },
  {
    path: 'insights',
    label: 'Insights',
    Icon: IconChartHistogram,
    scope: 'insights',
    load: () => import('./insights/index.ts'),
  },
]
