import { IconShieldLock } from '@tabler/icons-react'
import { paramsV1 } from '../../api/list.ts'
import { pageOfV1 } from '../../api/organization.ts'
import { Initials } from '../../ui/initials.tsx'
import { When } from '../../ui/when.tsx'
import { readAhead } from '../reads.ts'
import type { ListDeclaration } from '../resource/list-declaration.ts'
import { ResourceList } from '../resource/resource-list.tsx'
import { type Administrator, administratorKey, nameOf, readAdministrator } from './administrator.ts'
import { Invite } from './invite.tsx'
import { SIBLINGS } from './siblings.ts'
import { StateTag } from './state-tag.tsx'

const yesNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

const administrators: ListDeclaration<Administrator> = {
  path: 'administrators',
  title: 'Administrators',
  one: 'administrator',
  many: 'administrators',
  scope: 'administrators',
  Icon: IconShieldLock,
  load: async (api, query) =>
    pageOfV1(await api.management.GET('/users', { params: { query: paramsV1(query) } })),
  idOf: ({ id }) => id,
  first: {
    id: 'name',
    label: 'Name',
    width: 'minmax(12rem, 1.5fr)',
    sort: 'lastname',
    cell: (admin) => (
      <>
        <Initials name={nameOf(admin)} size={1.625} round />
        {nameOf(admin)}
      </>
    ),
  },
  columns: [
    {
      id: 'email',
      label: 'E-mail',
      width: 'minmax(12rem, 1.5fr)',
      sort: 'email',
      cell: ({ email }) => email,
    },
    {
      id: 'role',
      label: 'Role',
      width: 'minmax(10rem, 1fr)',
      cell: ({ roleNames }) => roleNames?.join(', '),
    },
    { id: 'state', label: 'State', width: '8rem', cell: (admin) => <StateTag admin={admin} /> },
    {
      id: 'mfa',
      label: 'Second factor',
      width: '8rem',
      cell: ({ totpEnrolled, enableMultiFactor }) =>
        totpEnrolled ? 'Enrolled' : enableMultiFactor ? 'Required' : 'None',
    },
    {
      id: 'key',
      label: 'API key',
      width: '7rem',
      cell: ({ apiKeyHash }) => (apiKeyHash ? `${apiKeyHash.prefix}…` : 'None'),
    },
    {
      id: 'created',
      label: 'Added',
      width: '8rem',
      sort: 'created',
      hidden: true,
      cell: ({ created }) => <When time={created} />,
    },
  ],
  filters: [
    { id: 'suspended', label: 'Suspended', field: 'suspended', options: yesNo },
    { id: 'registered', label: 'Has a password', field: 'registered', options: yesNo },
    { id: 'mfa', label: 'Second factor required', field: 'enableMultiFactor', options: yesNo },
    { id: 'key', label: 'May have an API key', field: 'apiKeyAllowed', options: yesNo },
  ],
  defaultSort: 'email',
  siblings: SIBLINGS,
  views: [
    { label: 'Invited', search: { registered: 'false' } },
    { label: 'Suspended', search: { suspended: 'true' } },
  ],
  ahead: (organization, { id }) =>
    readAhead(organization, administratorKey(id), readAdministrator(id)),
  empty: 'People who run this organization.',
  create: { label: 'Invite administrator', form: (close) => <Invite close={close} /> },
}

export const List = () => <ResourceList list={administrators} />
