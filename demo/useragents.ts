/** As in events: unknown parts are omitted. */
export interface UserAgent {
  name: string
  version: string
  major: string
  minor: string
  patch?: string
  os: string
  os_name: string
  os_full: string
  os_version?: string
  os_major?: string
  device: string
}

const chrome = { name: 'Chrome', version: '141.0.0.0', major: '141', minor: '0', patch: '0' }
const firefox = { name: 'Firefox', version: '143.0', major: '143', minor: '0' }
const safari = { name: 'Safari', version: '26.0', major: '26', minor: '0' }
const windows = {
  os: 'Windows',
  os_name: 'Windows',
  os_full: 'Windows 10',
  os_version: '10',
  os_major: '10',
  device: 'Other',
}
const mac = {
  os: 'Mac OS X',
  os_name: 'Mac OS X',
  os_full: 'Mac OS X 10.15.7',
  os_version: '10.15.7',
  os_major: '10',
  device: 'Mac',
}
const linux = { os: 'Linux', os_name: 'Linux', os_full: 'Linux', device: 'Other' }

/** Repeated entries are more common. */
export const BROWSERS: UserAgent[] = [
  { ...chrome, ...windows },
  { ...chrome, ...windows },
  { ...chrome, ...mac },
  { ...safari, ...mac },
  { ...firefox, ...windows },
  { ...firefox, ...linux },
]

export const CURL: UserAgent = {
  name: 'curl',
  version: '8.14.1',
  major: '8',
  minor: '14',
  patch: '1',
  os: 'Other',
  os_name: 'Other',
  os_full: 'Other',
  device: 'Other',
}
