import { IconUsersGroup } from '@tabler/icons-react'
import type { components } from '../../../../client/index.ts'
import { paramsV2 } from '../../api/list.ts'
import { pageOfV2 } from '../../api/organization.ts'
import { readAhead } from '../reads.ts'
import type { ListDeclaration } from '../resource/list-declaration.ts'
import { CreateGroup } from './create-group.tsx'
import { groupKey, readGroup } from './group.ts'
import { at, DEVICE_GROUPS, type Kind, USER_GROUPS } from './kind.ts'
import { CHOICES } from './membership-tab.tsx'

const SIBLINGS = [
  { path: USER_GROUPS.path, label: 'User groups' },
  { path: DEVICE_GROUPS.path, label: 'Device groups' },
]

type Row = components['schemas']['Group']

export const listOf = (kind: Kind): ListDeclaration<Row> => ({
  path: kind.path,
  title: kind.title,
  one: kind.one,
  many: kind.many,
  scope: 'groups',
  Icon: IconUsersGroup,
  load: async (api, query) =>
    pageOfV2(await api.management.GET(at(kind, ''), { params: { query: paramsV2(query) } })),
  idOf: ({ id = '' }) => id,
  first: {
    id: 'name',
    label: 'Name',
    width: 'minmax(12rem, 1fr)',
    sort: 'name',
    cell: ({ name }) => name,
  },
  columns: [
    {
      id: 'description',
      label: 'Description',
      width: 'minmax(12rem, 2fr)',
      cell: ({ description }) => description,
    },
    { id: 'email', label: 'E-mail', width: '14rem', hidden: true, cell: ({ email }) => email },
  ],
  filters: [
    { id: 'name', label: 'Name', field: 'name' },
    {
      id: 'members',
      label: 'Members',
      field: 'membershipMethod',
      options: CHOICES.map(({ value, label }) => ({ value, label })),
    },
  ],
  defaultSort: 'name',
  views: [
    { label: 'By rule', search: { members: 'DYNAMIC_AUTOMATED' } },
    { label: 'By rule, after review', search: { members: 'DYNAMIC_REVIEW_REQUIRED' } },
  ],
  ahead: (organization, { id = '' }) =>
    readAhead(organization, groupKey(kind, id), readGroup(kind, id)),
  empty: kind.about,
  siblings: SIBLINGS,
  create: { label: 'Add group', form: (close) => <CreateGroup kind={kind} close={close} /> },
})
