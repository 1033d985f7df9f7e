import { ThemeIcon } from '@mantine/core'
import {
  type Icon,
  IconEraser,
  IconLock,
  IconPower,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Confirm, type Question } from '../../ui/confirm.tsx'
import { GroupsTab } from '../groups/groups-tab.tsx'
import { DEVICE_GROUPS } from '../groups/kind.ts'
import { usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { type MenuAction, ResourcePage } from '../resource/resource-page.tsx'
import { type BuiltIn, useDeviceActions } from './actions.ts'
import { CommandsTab } from './commands-tab.tsx'
import { type Device, deviceKey, nameOf, readDevice } from './device.ts'
import { FactsTab } from './facts-tab.tsx'
import { OsIcon } from './os-icon.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { StatusTag } from './status-tag.tsx'
import { UsersTab } from './users-tab.tsx'

const LIST = { path: 'devices', title: 'Devices' }
const LATER = 'It happens when the machine contacts the service next.'

const BUILT_INS: { name: BuiltIn; label: string; Icon: Icon; text: string }[] = [
  { name: 'lock', label: 'Lock device', Icon: IconLock, text: 'Everybody is signed out of it.' },
  { name: 'restart', label: 'Restart device', Icon: IconRefresh, text: 'Unsaved work is lost.' },
  { name: 'shutdown', label: 'Shut down device', Icon: IconPower, text: 'Unsaved work is lost.' },
  { name: 'erase', label: 'Erase device', Icon: IconEraser, text: 'All its data is deleted.' },
]

function DevicePage({ device }: { device: Device }) {
  const may = useMay()
  const { remove, builtIn } = useDeviceActions(device)
  const [question, ask] = useState<Question | null>(null)
  const name = nameOf(device)
  const supported = new Set(device.builtInCommands?.map((command) => command.name))
  const menu: MenuAction[] = [
    ...BUILT_INS.filter((each) => supported.has(each.name)).map((each) => ({
      label: each.label,
      Icon: each.Icon,
      danger: each.name === 'erase',
      run: () =>
        ask({
          title: `${each.label} ${name}?`,
          text: `${each.text} ${LATER}`,
          action: each.label,
          ...(each.name === 'erase' && { typed: name }),
          run: () => builtIn.mutate(each.name),
        }),
    })),
    { label: 'Delete device', Icon: IconTrash, danger: true, run: () => remove.mutate() },
  ]
  return (
    <>
      <ResourcePage
        list={LIST}
        name={name}
        error={null}
        avatar={
          <ThemeIcon variant="light" size={52} radius="md">
            <OsIcon device={device} size={30} />
          </ThemeIcon>
        }
        state={<StatusTag device={device} />}
        copy={[
          ...(device.hostname ? [{ label: 'hostname', value: device.hostname }] : []),
          ...(device.remoteIP ? [{ label: 'address', value: device.remoteIP }] : []),
          { label: 'id', value: device.id },
        ]}
        menu={may.write('systems') ? menu : []}
        tabs={[
          { id: 'facts', label: 'Facts', content: () => <FactsTab device={device} /> },
          {
            id: 'users',
            label: 'Users',
            content: () => (
              <UsersTab
                place={{ area: 'devices', id: device.id, name, root: '/v2/systems/{system_id}' }}
              />
            ),
          },
          {
            id: 'groups',
            label: 'Groups',
            content: () => <GroupsTab kind={DEVICE_GROUPS} id={device.id} />,
          },
          { id: 'commands', label: 'Commands', content: () => <CommandsTab device={device} /> },
          {
            id: 'settings',
            label: 'Settings',
            edits: true,
            content: () => <SettingsTab key={device.id} device={device} />,
          },
          {
            id: 'history',
            label: 'History',
            content: () => <HistoryTab area="devices" id={device.id} />,
          },
        ]}
      />
      <Confirm question={question} close={() => ask(null)} />
    </>
  )
}

export function Detail() {
  const { id = '' } = usePath()
  const { data, error } = useRead(deviceKey(id), readDevice(id))
  if (data) return <DevicePage device={data} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}
