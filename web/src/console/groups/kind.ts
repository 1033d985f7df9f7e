import type { Api } from '../../api/organization.ts'
import { findDevices } from '../devices/find.ts'
import { findUsers } from '../users/find.ts'
import { findDeviceGroupsToJoin, findGroupsToJoin } from './find.ts'
import { DEVICE_FIELDS, type RuleField, USER_FIELDS } from './rule-fields.ts'

type Find = (api: Api, text: string) => Promise<{ id: string; name: string; about: string }[]>

/** What differs between groups of users and groups of devices. */
export interface Kind {
  /** Of the area, in the address and in keys of the cache. */
  path: string
  title: string
  one: string
  many: string
  type: 'user_group' | 'system_group'
  root: '/v2/usergroups' | '/v2/systemgroups'
  /** Groups that members can be added to. */
  find: Find
  /** Shown on an empty list. */
  about: string
  member: {
    type: 'user' | 'system'
    one: string
    many: string
    /** The area of the members. */
    path: string
    find: Find
    fields: RuleField[]
  }
}

export const USER_GROUPS: Kind = {
  path: 'groups',
  title: 'Groups',
  one: 'group',
  many: 'groups',
  type: 'user_group',
  root: '/v2/usergroups',
  find: findGroupsToJoin,
  about: 'Groups grant their members applications and devices.',
  member: {
    type: 'user',
    one: 'user',
    many: 'users',
    path: 'users',
    find: findUsers,
    fields: USER_FIELDS,
  },
}

export const DEVICE_GROUPS: Kind = {
  path: 'device-groups',
  title: 'Device groups',
  one: 'device group',
  many: 'device groups',
  type: 'system_group',
  root: '/v2/systemgroups',
  find: findDeviceGroupsToJoin,
  about: 'People sign in to all devices of a group, and commands run on them.',
  member: {
    type: 'system',
    one: 'device',
    many: 'devices',
    path: 'devices',
    find: findDevices,
    fields: DEVICE_FIELDS,
  },
}

/** A path of the API. Both kinds have the same below their root, with the same shapes. */
export const at = <P extends string>({ root }: Kind, path: P) =>
  `${root}${path}` as `/v2/usergroups${P}`
