import { type Details, withDefaults } from './details.ts'
import { ACTIVE_MINUTES, type System, type SystemSshKey } from './schema.ts'
import type { SshKeyRow, SystemRow } from './store.ts'

const BUILT_IN = ['erase', 'lock', 'restart', 'shutdown']

/** Built-in commands exist for Linux and Windows only. */
export const builtInCommandsOf = (osFamily: string): { name: string; type: string }[] =>
  ['linux', 'windows'].includes(osFamily.toLowerCase())
    ? BUILT_IN.map((name) => ({ name, type: 'security' }))
    : []

const isActive = ({ last_contact }: SystemRow, now: number): boolean =>
  last_contact !== null && Date.parse(last_contact) > now - ACTIVE_MINUTES * 60_000

export const toSystem = (row: SystemRow, now = Date.now()): System => ({
  _id: row.id,
  id: row.id,
  active: isActive(row, now),
  agentVersion: row.agent_version,
  arch: row.arch,
  attributes: row.attributes,
  builtInCommands: builtInCommandsOf(row.os_family),
  created: row.created,
  description: row.description,
  displayName: row.display_name,
  hostname: row.hostname,
  lastContact: row.last_contact,
  organization: row.organization_id,
  os: row.os,
  osFamily: row.os_family,
  primarySystemUser: { id: row.primary_user_id },
  provisionMetadata: {
    provisioner: { provisionerId: row.provisioner_id, type: row.provisioner_type },
  },
  remoteIP: row.remote_ip,
  serialNumber: row.serial_number,
  version: row.version,
  ...withDefaults(row.details as Details),
})

/** Fields that change with every report are not audited. */
export const auditFields = (row: SystemRow): object => {
  const { active: _, lastContact: __, remoteIP: ___, ...rest } = toSystem(row)
  return rest
}

/** The system as the resource of an event. */
export const resourceOf = ({ id, hostname, display_name }: SystemRow) => ({
  type: 'system',
  id,
  name: display_name || hostname,
})

export const toSshKey = (row: SshKeyRow): SystemSshKey => ({
  _id: row.id,
  id: row.id,
  name: row.name,
  public_key: row.public_key,
  create_date: row.created,
})
