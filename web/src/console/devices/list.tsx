import { IconDeviceLaptop, IconTrash } from '@tabler/icons-react'
import { paramsV1 } from '../../api/list.ts'
import { type Api, pageOfV1 } from '../../api/organization.ts'
import { counted } from '../../ui/number.ts'
import { When } from '../../ui/when.tsx'
import { readAhead } from '../reads.ts'
import type { ListDeclaration } from '../resource/list-declaration.ts'
import { ResourceList } from '../resource/resource-list.tsx'
import { type Device, deviceKey, nameOf, readDevice, systemOf } from './device.ts'
import { Enrol } from './enrol.tsx'
import { OsIcon } from './os-icon.tsx'
import { StatusTag } from './status-tag.tsx'

/** One after the other: the API deletes single devices. */
const eachOf =
  (method: (api: Api, id: string) => Promise<unknown>) => async (api: Api, ids: string[]) => {
    for (const id of ids) await method(api, id)
  }

const devices: ListDeclaration<Device> = {
  path: 'devices',
  title: 'Devices',
  one: 'device',
  many: 'devices',
  scope: 'systems',
  Icon: IconDeviceLaptop,
  load: async (api, query) =>
    pageOfV1(await api.management.GET('/systems', { params: { query: paramsV1(query) } })),
  idOf: ({ id }) => id,
  first: {
    id: 'name',
    label: 'Name',
    width: 'minmax(12rem, 2fr)',
    sort: 'displayName',
    cell: (device) => (
      <>
        <OsIcon device={device} size={18} />
        {nameOf(device)}
      </>
    ),
  },
  columns: [
    {
      id: 'status',
      label: 'Status',
      width: '7rem',
      cell: (device) => <StatusTag device={device} />,
    },
    { id: 'os', label: 'System', width: 'minmax(9rem, 1fr)', sort: 'os', cell: systemOf },
    {
      id: 'hostname',
      label: 'Hostname',
      width: 'minmax(8rem, 1fr)',
      sort: 'hostname',
      hidden: true,
      cell: ({ hostname }) => hostname,
    },
    {
      id: 'ip',
      label: 'Address',
      width: '9rem',
      sort: 'remoteIP',
      cell: ({ remoteIP }) => remoteIP || '–',
    },
    {
      id: 'serial',
      label: 'Serial number',
      width: '10rem',
      sort: 'serialNumber',
      hidden: true,
      cell: ({ serialNumber }) => serialNumber || '–',
    },
    {
      id: 'agent',
      label: 'Agent',
      width: '6rem',
      sort: 'agentVersion',
      hidden: true,
      cell: ({ agentVersion }) => agentVersion || '–',
    },
    {
      id: 'contact',
      label: 'Last contact',
      width: '9rem',
      sort: 'lastContact',
      cell: ({ lastContact }) => <When time={lastContact} />,
    },
    {
      id: 'created',
      label: 'Enrolled',
      width: '9rem',
      sort: 'created',
      cell: ({ created }) => <When time={created} />,
    },
  ],
  filters: [
    {
      id: 'online',
      label: 'Online',
      field: 'active',
      options: [
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ],
    },
    {
      id: 'unseen',
      label: 'Not seen for',
      field: 'lastContact',
      inDays: true,
      options: [
        { value: '-1', label: 'A day' },
        { value: '-14', label: '14 days' },
        { value: '-90', label: '90 days' },
      ],
    },
    {
      id: 'family',
      label: 'Kind',
      field: 'osFamily',
      options: [
        { value: 'linux', label: 'Linux' },
        { value: 'darwin', label: 'macOS' },
        { value: 'windows', label: 'Windows' },
      ],
    },
    { id: 'os', label: 'Operating system', field: 'os' },
    { id: 'version', label: 'Version', field: 'version' },
    { id: 'arch', label: 'Architecture', field: 'arch' },
    { id: 'agent', label: 'Agent version', field: 'agentVersion' },
    { id: 'serial', label: 'Serial number', field: 'serialNumber' },
  ],
  defaultSort: 'displayName',
  views: [
    { label: 'Online', search: { online: 'true' } },
    { label: 'Offline, longest first', search: { online: 'false', sort: 'lastContact' } },
    { label: 'Newest', search: { sort: '-created' } },
  ],
  bulk: [
    {
      label: 'Delete',
      Icon: IconTrash,
      danger: true,
      run: eachOf((api, id) =>
        api.management.DELETE('/systems/{id}', { params: { path: { id } } }),
      ),
      undo: eachOf((api, id) =>
        api.management.POST('/systems/{id}/restore', { params: { path: { id } } }),
      ),
      done: (count) => `Deleted ${counted(count, 'device')}`,
    },
  ],
  ahead: (organization, { id }) => readAhead(organization, deviceKey(id), readDevice(id)),
  empty: 'Machines that your people sign in to, and that run your commands.',
  create: { label: 'Enrol device', form: (close) => <Enrol close={close} /> },
}

export const List = () => <ResourceList list={devices} />
