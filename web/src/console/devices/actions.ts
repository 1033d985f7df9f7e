import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import { type Device, nameOf } from './device.ts'

export type BuiltIn = 'erase' | 'lock' | 'restart' | 'shutdown'

const DONE: Record<BuiltIn, string> = {
  erase: 'will be erased',
  lock: 'will be locked',
  restart: 'will restart',
  shutdown: 'will shut down',
}

export function useDeviceActions(device: Device) {
  const go = useGo()
  const name = nameOf(device)
  const params = { path: { id: device.id } }
  const remove = useChange({
    run: (api) => api.management.DELETE('/systems/{id}', { params }),
    touches: [['devices']],
    done: () => `Deleted ${name}`,
    undo: (api) => api.management.POST('/systems/{id}/restore', { params }),
    after: () => void go('devices'),
  })
  const builtIn = useChange({
    run: (api, command: BuiltIn) =>
      api.management.POST(`/systems/{system_id}/command/builtin/${command}`, {
        params: { path: { system_id: device.id } },
      }),
    touches: [['devices', device.id], ['commands']],
    done: (command) => `${name} ${DONE[command]}`,
  })
  return { remove, builtIn }
}
