import {
  IconCalendarTime,
  IconCirclePause,
  IconDownload,
  IconKeyOff,
  IconLockOpen,
  IconMail,
  IconPlayerPlay,
  IconShieldOff,
  IconUsers,
  IconUsersPlus,
} from '@tabler/icons-react'
import { paramsV1 } from '../../api/list.ts'
import { pageOfV1 } from '../../api/organization.ts'
import { Initials } from '../../ui/initials.tsx'
import { When } from '../../ui/when.tsx'
import { readAhead } from '../reads.ts'
import type { ListDeclaration } from '../resource/list-declaration.ts'
import { ResourceList } from '../resource/resource-list.tsx'
import {
  activateAll,
  expireAll,
  exportAll,
  mailLinksToAll,
  resetMfaOfAll,
  suspendAll,
  unlockAll,
} from './bulk.ts'
import { CreateUser } from './create-user.tsx'
import { ImportButton } from './import-button.tsx'
import { JoinGroupForm } from './join-group-form.tsx'
import { nameOf } from './name.ts'
import { ScheduleForm } from './schedule-form.tsx'
import { StateBadge } from './state-badge.tsx'
import { readUser, STATES, type User, userKey } from './user.ts'

const yesNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

/** A fifth of the record; scrolling reads many pages. */
const FIELDS =
  'displayname firstname lastname username email state account_locked department jobTitle totp_enabled created'

const users: ListDeclaration<User> = {
  path: 'users',
  title: 'Users',
  one: 'user',
  many: 'users',
  scope: 'users',
  Icon: IconUsers,
  load: async (api, query) =>
    pageOfV1(
      await api.management.GET('/systemusers', {
        params: { query: { ...paramsV1(query), fields: FIELDS } },
      }),
    ),
  idOf: ({ id }) => id,
  first: {
    id: 'name',
    label: 'Name',
    width: 'minmax(12rem, 2fr)',
    sort: 'lastname',
    cell: (user) => (
      <>
        <Initials name={nameOf(user)} size={1.625} round />
        {nameOf(user)}
      </>
    ),
  },
  columns: [
    {
      id: 'username',
      label: 'Username',
      width: 'minmax(7rem, 1fr)',
      sort: 'username',
      cell: ({ username }) => username,
    },
    {
      id: 'email',
      label: 'E-mail',
      width: 'minmax(10rem, 2fr)',
      sort: 'email',
      cell: ({ email }) => email,
    },
    {
      id: 'state',
      label: 'State',
      width: '8rem',
      sort: 'state',
      cell: (user) => <StateBadge user={user} />,
    },
    {
      id: 'department',
      label: 'Department',
      width: 'minmax(7rem, 1fr)',
      sort: 'department',
      cell: ({ department }) => department,
    },
    {
      id: 'title',
      label: 'Job title',
      width: 'minmax(7rem, 1fr)',
      sort: 'jobTitle',
      hidden: true,
      cell: ({ jobTitle }) => jobTitle,
    },
    {
      id: 'mfa',
      label: 'Second factor',
      width: '8rem',
      hidden: true,
      cell: ({ totp_enabled }) => (totp_enabled ? 'Enrolled' : 'None'),
    },
    {
      id: 'created',
      label: 'Created',
      width: '8rem',
      sort: 'created',
      cell: ({ created }) => <When time={created} />,
    },
  ],
  filters: [
    {
      id: 'state',
      label: 'State',
      field: 'state',
      options: Object.entries(STATES).map(([value, label]) => ({ value, label })),
    },
    { id: 'locked', label: 'Locked', field: 'account_locked', options: yesNo },
    { id: 'mfa', label: 'Second factor', field: 'totp_enabled', options: yesNo },
    {
      id: 'mfaRequired',
      label: 'Second factor required',
      field: 'enable_user_portal_multifactor',
      options: yesNo,
    },
    { id: 'activated', label: 'Password chosen', field: 'activated', options: yesNo },
    { id: 'expired', label: 'Password expired', field: 'password_expired', options: yesNo },
    {
      id: 'neverExpires',
      label: 'Password never expires',
      field: 'password_never_expires',
      options: yesNo,
    },
    { id: 'sudo', label: 'Administrator on devices', field: 'sudo', options: yesNo },
    { id: 'external', label: 'Managed elsewhere', field: 'externally_managed', options: yesNo },
    {
      id: 'older',
      label: 'Created before',
      field: 'created',
      inDays: true,
      options: [
        { value: '-7', label: '7 days ago' },
        { value: '-30', label: '30 days ago' },
        { value: '-365', label: 'A year ago' },
      ],
    },
    { id: 'username', label: 'Username', field: 'username' },
    { id: 'email', label: 'E-mail', field: 'email' },
    { id: 'firstname', label: 'First name', field: 'firstname' },
    { id: 'lastname', label: 'Last name', field: 'lastname' },
    { id: 'department', label: 'Department', field: 'department' },
    { id: 'location', label: 'Location', field: 'location' },
    { id: 'title', label: 'Job title', field: 'jobTitle' },
    { id: 'company', label: 'Company', field: 'company' },
    { id: 'costCenter', label: 'Cost center', field: 'costCenter' },
    { id: 'employeeType', label: 'Employee type', field: 'employeeType' },
    { id: 'employeeId', label: 'Employee id', field: 'employeeIdentifier' },
    { id: 'manager', label: 'Id of the manager', field: 'manager' },
    { id: 'source', label: 'Created by', field: 'creationSource' },
    { id: 'uid', label: 'Unix user id', field: 'unix_uid' },
  ],
  defaultSort: 'lastname',
  views: [
    { label: 'Suspended', search: { state: 'SUSPENDED' } },
    { label: 'Locked', search: { locked: 'true' } },
    { label: 'Without a second factor', search: { mfa: 'false', state: 'ACTIVATED' } },
  ],
  bulk: [
    { label: 'Suspend', Icon: IconCirclePause, work: suspendAll },
    { label: 'Activate', Icon: IconPlayerPlay, work: activateAll },
    {
      label: 'Schedule',
      Icon: IconCalendarTime,
      form: ({ ids, close }) => <ScheduleForm ids={ids} target="SUSPENDED" after={close} />,
    },
    {
      label: 'Add to group',
      Icon: IconUsersPlus,
      scope: 'groups',
      form: (bulk) => <JoinGroupForm {...bulk} />,
    },
    { label: 'Unlock', Icon: IconLockOpen, work: unlockAll },
    {
      label: 'Expire password',
      Icon: IconKeyOff,
      work: expireAll,
      final: 'They have to choose a new password before they can sign in again.',
    },
    { label: 'Mail a link', Icon: IconMail, work: mailLinksToAll },
    {
      label: 'Remove second factor',
      Icon: IconShieldOff,
      work: resetMfaOfAll,
      final: 'Nothing brings it back: they have to set up a new one.',
    },
    { label: 'Export CSV', Icon: IconDownload, reads: true, work: exportAll },
  ],
  ahead: (organization, { id }) => readAhead(organization, userKey(id), readUser(id)),
  empty: 'The people of your organization: they sign in to applications and devices.',
  aside: () => <ImportButton />,
  create: { label: 'Add user', form: (close) => <CreateUser close={close} /> },
}

export const List = () => <ResourceList list={users} />
