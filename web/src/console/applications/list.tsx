import { IconApps, IconTrash } from '@tabler/icons-react'
import { type ListQuery, paramsV1 } from '../../api/list.ts'
import { type Api, pageOfV1 } from '../../api/organization.ts'
import { AppMark } from '../../ui/app-mark.tsx'
import { counted } from '../../ui/number.ts'
import { When } from '../../ui/when.tsx'
import { readAhead } from '../reads.ts'
import type { ListDeclaration } from '../resource/list-declaration.ts'
import { ResourceList } from '../resource/resource-list.tsx'
import { applicationKey, nameOf, readApplication, TYPES } from './application.ts'
import { Expiry } from './expiry.tsx'
import { StateBadge } from './state-badge.tsx'

/** Without the settings, which are most of an application. */
const fields = 'id name displayLabel displayName description active color logo sso created'

const load = async (api: Api, query: ListQuery) =>
  pageOfV1(
    await api.management.GET('/applications', {
      params: { query: { ...paramsV1(query), fields } },
    }),
  )

type Row = Awaited<ReturnType<typeof load>>['rows'][number]

async function removeAll(api: Api, ids: string[]): Promise<void> {
  for (const id of ids)
    await api.management.DELETE('/applications/{id}', { params: { path: { id } } })
}

async function restoreAll(api: Api, ids: string[]): Promise<void> {
  for (const id of ids)
    await api.management.POST('/applications/{id}/restore', { params: { path: { id } } })
}

const applications: ListDeclaration<Row> = {
  path: 'applications',
  title: 'Applications',
  one: 'application',
  many: 'applications',
  scope: 'applications',
  Icon: IconApps,
  load,
  idOf: ({ id = '' }) => id,
  first: {
    id: 'name',
    label: 'Name',
    width: 'minmax(12rem, 2fr)',
    sort: 'displayLabel',
    cell: (row) => (
      <>
        <AppMark
          label={nameOf(row)}
          template={row.name ?? ''}
          logo={row.logo?.url}
          color={row.color}
          size={1.75}
        />
        {nameOf(row)}
      </>
    ),
  },
  columns: [
    {
      id: 'type',
      label: 'Sign-on',
      width: '9rem',
      cell: ({ sso }) => TYPES[sso?.type ?? ''] ?? '–',
    },
    {
      id: 'state',
      label: 'State',
      width: '8rem',
      sort: 'active',
      cell: ({ active }) => <StateBadge active={active} />,
    },
    {
      id: 'certificate',
      label: 'Certificate expires',
      width: '10rem',
      sort: 'sso.idpCertExpirationAt',
      cell: ({ sso }) => <Expiry time={sso?.idpCertExpirationAt} />,
    },
    {
      id: 'description',
      label: 'Description',
      width: 'minmax(8rem, 2fr)',
      cell: ({ description }) => description,
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
      id: 'active',
      label: 'State',
      field: 'active',
      options: [
        { value: 'true', label: 'Active' },
        { value: 'false', label: 'Inactive' },
      ],
    },
    {
      id: 'type',
      label: 'Sign-on',
      field: 'sso.type',
      options: Object.entries(TYPES).map(([value, label]) => ({ value, label })),
    },
    {
      id: 'provisioning',
      label: 'Provisioning',
      field: 'provisioning.failing',
      options: [
        { value: 'true', label: 'Failing' },
        { value: 'false', label: 'Not failing' },
      ],
    },
    {
      id: 'certificate',
      label: 'Certificate',
      field: 'sso.idpCertExpirationAt',
      inDays: true,
      options: [
        { value: '0', label: 'Expired' },
        { value: '30', label: 'Ends within 30 days' },
        { value: '90', label: 'Ends within 90 days' },
      ],
    },
    { id: 'template', label: 'Template', field: 'name' },
  ],
  defaultSort: 'displayLabel',
  views: [
    { label: 'Inactive', search: { active: 'false' } },
    { label: 'Provisioning fails', search: { provisioning: 'true' } },
    {
      label: 'Certificate ends soon',
      search: { active: 'true', certificate: '30', sort: 'sso.idpCertExpirationAt' },
    },
  ],
  bulk: [
    {
      label: 'Delete',
      Icon: IconTrash,
      danger: true,
      run: removeAll,
      done: (count) => `Deleted ${counted(count, 'application')}`,
      undo: restoreAll,
    },
  ],
  ahead: (organization, { id = '' }) =>
    readAhead(organization, applicationKey(id), readApplication(id)),
  empty:
    'What people sign in to. Choose one from the catalogue, or connect any SAML or OpenID Connect service.',
  create: { label: 'Add application', to: 'applications/catalogue' },
}

export const List = () => <ResourceList list={applications} />
