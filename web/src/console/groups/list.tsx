import { IconUsersGroup } from '@tabler/icons-react'
import type { components } from '../../../../client/index.ts'
import { paramsV2 } from '../../api/list.ts'
import { pageOfV2 } from '../../api/organization.ts'
import { readAhead } from '../reads.ts'
import type { ListDeclaration } from '../resource/list-declaration.ts'
import { ResourceList } from '../resource/resource-list.tsx'
import { CreateGroup } from './create-group.tsx'
import { groupKey, readGroup } from './group.ts'

type Row = components['schemas']['Group']

const groups: ListDeclaration<Row> = {
  path: 'groups',
  title: 'Groups',
  one: 'group',
  many: 'groups',
  scope: 'groups',
  Icon: IconUsersGroup,
  load: async (api, query) =>
    pageOfV2(await api.management.GET('/v2/usergroups', { params: { query: paramsV2(query) } })),
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
  filters: [{ id: 'name', label: 'Name', field: 'name' }],
  defaultSort: 'name',
  ahead: (organization, { id = '' }) => readAhead(organization, groupKey(id), readGroup(id)),
  empty: 'Groups grant their members applications and devices.',
  create: { label: 'Add group', form: (close) => <CreateGroup close={close} /> },
}

export const List = () => <ResourceList list={groups} />
