import type { Device } from '../people.ts'
import type { Random } from '../random.ts'
import type { Tenant } from '../world.ts'
import { atLocal, type Day, type Draft, MINUTE } from './draft.ts'

const PROCESSES = { linux: 'sshd', mac: 'loginwindow', windows: 'winlogon.exe' } as const

/** The local time of the device, with its UTC offset. */
function systemTime(at: number, offsetHours: number): string {
  const local = new Date(at + offsetHours * 60 * MINUTE).toISOString().slice(0, 19)
  const minutes = Math.abs(offsetHours * 60)
  const pad = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${local}${offsetHours < 0 ? '-' : '+'}${pad(minutes / 60)}:${pad(minutes % 60)}`
}

const systemEvent = (
  device: Device,
  at: number,
  type: string,
  body: Record<string, unknown>,
): Draft => ({
  at: at - (at % 1000),
  service: 'systems',
  type,
  body: {
    system_timestamp: systemTime(at, device.owner.place.offsetHours),
    system: { id: device.id, hostname: device.hostname, displayName: device.displayName },
    client_ip: device.owner.officeIp,
    provider: null,
    ...body,
  },
})

function userLogin(device: Device, at: number, success: boolean, srcIp: string): Draft {
  const { username } = device.owner
  const process = PROCESSES[device.os]
  return systemEvent(device, at, 'user_login', {
    message: `User ${username} ${success ? 'logged in' : 'failed to log in'} from ${srcIp}, process name: ${process}`,
    src_ip: srcIp,
    username,
    process_name: process,
    success,
    initiated_by: { type: 'user', username },
    ...(device.os === 'windows' && { windows_meta: { elevated: false, logon_type: '2' } }),
  })
}

const SOFTWARE = [
  {
    name: 'Firefox',
    publisher: 'Mozilla',
    path: 'firefox',
    versions: '142.0.1 143.0 143.0.1 143.0.3 143.0.4 144.0',
  },
  {
    name: 'LibreOffice',
    publisher: 'The Document Foundation',
    path: 'libreoffice',
    versions: '25.2.4 25.2.5 25.8.0 25.8.1 25.8.2 25.8.3',
  },
  {
    name: 'Signal',
    publisher: 'Signal Messenger',
    path: 'signal',
    versions: '7.68.0 7.69.0 7.70.0 7.71.0 7.72.1 7.73.0',
  },
].map((app) => ({ ...app, versions: app.versions.split(' ') }))

const FOLDERS = {
  linux: '/usr/bin/',
  mac: '/Applications/',
  windows: 'C:\\Program Files\\',
} as const

/** Weekly patch night: every device of an organization gets the same version in the same week. */
function patchNight(device: Device, day: Day, random: Random): Draft[] {
  const week = Math.floor(day.index / 7)
  return SOFTWARE.filter(() => random.chance(0.75)).map((app) => ({
    at: atLocal(day, device.owner.place, random.around(21.5, 1)),
    service: 'software',
    type: 'software_change',
    body: {
      provider: null,
      system: { id: device.id, type: 'system' },
      application: {
        name: app.name,
        version: app.versions[week + 1],
        path: `${FOLDERS[device.os]}${app.path}`,
        publisher: app.publisher,
        uninstall_string: '',
      },
      changes: [{ field: 'version', from: app.versions[week], to: app.versions[week + 1] }],
      resource: { id: device.id, type: 'system' },
      app_management_source: 'App Catalog',
    },
  }))
}

/** Managed devices respond to a query or a profile now and then. */
function managed(tenant: Tenant, device: Device, day: Day, random: Random): Draft {
  const request = random.pick([
    'DeviceInformation',
    'SecurityInfo',
    'InstalledApplicationList',
    'InstallProfile',
  ])
  const failed = random.chance(0.04)
  const windows = device.os === 'windows'
  return {
    at: atLocal(day, device.owner.place, random.around(13, 5)),
    service: 'mdm',
    type: 'mdm_command_result',
    body: {
      mdm_type: windows ? 'windows' : 'apple',
      device_object_id: device.id,
      device_manager_object_id: tenant.id,
      ...(windows && { windows_device_uuid: device.id.padEnd(32, '0') }),
      initiated_by: { type: 'system' },
      command_uuid: random.uuidv7(day.start),
      request_type: request,
      command: { request_type: request },
      status: failed ? 'Error' : 'Acknowledged',
      error_chain: failed
        ? [
            {
              error_code: 12021,
              error_domain: 'MCMDMErrorDomain',
              localized_description: 'The device is locked',
              us_english_description: 'The device is locked',
            },
          ]
        : null,
      success: !failed,
      result: failed ? 'failure' : 'success',
      geoip: device.owner.place.geoip,
    },
  }
}

function deviceDay(tenant: Tenant, device: Device, day: Day, random: Random): Draft[] {
  const { owner } = device
  const drafts: Draft[] = []
  if (random.chance(day.workday ? 0.85 : 0.05)) {
    const at = atLocal(day, owner.place, random.around(8.7, 1.4))
    if (random.chance(0.07)) drafts.push(userLogin(device, at - 9000, false, owner.deskIp))
    drafts.push(userLogin(device, at, true, owner.deskIp))
    if (random.chance(0.4))
      drafts.push(userLogin(device, at + random.between(200, 320) * MINUTE, true, owner.deskIp))
  }
  if (device.os !== 'linux' && random.chance(0.5)) drafts.push(managed(tenant, device, day, random))
  if (day.index % 7 === 2) drafts.push(...patchNight(device, day, random))
  if (day.index === 11 + (Number.parseInt(device.id.slice(-1), 16) % 6))
    drafts.push(
      systemEvent(device, atLocal(day, owner.place, 12.6), 'os_minor_upgrade', {
        resource: { type: 'system', id: device.id },
        changes: [{ field: 'version', from: '26.0', to: '26.0.1' }],
        success: true,
      }),
    )
  return drafts
}

export const machines = (tenant: Tenant, day: Day, random: Random): Draft[] =>
  tenant.devices.flatMap((device) => deviceDay(tenant, device, day, random))
