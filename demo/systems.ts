import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { changeEdge, type EdgeContext, type GraphActor } from '../server/graph/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import { hook } from '../server/platform/hooks.ts'
import { seedSystem } from '../server/systems/index.ts'
import type { Device } from './people.ts'
import { Random } from './random.ts'
import { actAs } from './tenancy.ts'
import type { Tenant, World } from './world.ts'

const DAY = 86_400_000
const generate = promisify(generateKeyPair)

const newKeyPair = () =>
  generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

const KINDS = {
  linux: {
    family: 'linux',
    names: ['Ubuntu', 'Debian GNU/Linux', 'Fedora Linux'],
    vendor: 'Lenovo',
  },
  mac: { family: 'darwin', names: ['Mac OS X'], vendor: 'Apple Inc.' },
  windows: { family: 'windows', names: ['Windows'], vendor: 'Dell Inc.' },
} as const
const VERSIONS: Record<string, string[]> = {
  Ubuntu: ['22.04', '24.04'],
  'Debian GNU/Linux': ['12', '13'],
  'Fedora Linux': ['42', '43'],
  'Mac OS X': ['14.7', '15.4'],
  Windows: ['10.0.22631', '10.0.26100'],
}

/** How it was enrolled: most by an administrator, some in ways that leave them without system context. */
function enrolmentOf({ os }: Device, nth: number) {
  if (os === 'mac' && nth % 2 === 0)
    return {
      type: 'mdm',
      mdm: { dep: true, enrollmentType: 'automated device', vendor: 'internal' },
    } as const
  if (os === 'linux' && nth === 1)
    return {
      type: 'mdm',
      mdm: { dep: true, enrollmentType: 'automated device', vendor: 'internal' },
    } as const
  if (os === 'linux' && nth === 2) return { type: 'user' } as const
  return { type: 'administrator' } as const
}

function record(device: Device, nth: number, now: number, random: Random) {
  const { family, names, vendor } = KINDS[device.os]
  const name = random.pick(names)
  const { type, mdm } = { mdm: undefined, ...enrolmentOf(device, nth) }
  const away = random.chance(0.15) ? random.between(1, 20) * DAY : random.between(5, 50) * 1000
  return {
    id: device.id,
    display_name: device.displayName,
    hostname: device.hostname,
    os: name,
    os_family: family,
    version: random.pick(VERSIONS[name]!),
    arch: device.os === 'mac' ? 'arm64' : 'x86_64',
    serial_number: random.hex(10).toUpperCase(),
    agent_version: '1.0.0',
    remote_ip: device.owner.officeIp,
    last_contact: new Date(now - away).toISOString(),
    created: new Date(now - random.between(40, 700) * DAY).toISOString(),
    provisioner_type: type,
    primary_user_id: device.owner.id,
    attributes: [{ name: 'site', value: device.owner.place.city }],
    details: {
      hwVendor: vendor,
      fde: { active: random.chance(0.7), keyPresent: random.chance(0.7) },
      networkInterfaces: [
        { name: 'eth0', family: 'IPv4', address: device.owner.deskIp, internal: false },
      ],
      ...(mdm && { mdm }),
    },
  }
}

const CONSOLE_BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'

/** For an edge between two records with these names. No hooks run while the demo is seeded. */
export const namedEnds = (...ends: [id: string, name: string][]): EdgeContext => ({
  names: async () => new Map(ends),
  edgeChanged: hook(),
})

/** The first administrator of the organization, in the console. */
export const demoAdministrator = ({
  id,
  administrators,
  providerId,
  sites,
}: Tenant): GraphActor => ({
  initiator: { type: 'admin', ...administrators[0]! },
  authMethod: 'session',
  providerId,
  organizationId: id,
  client: { ip: sites[0]!.officeIp, userAgent: CONSOLE_BROWSER, requestId: '' },
  mfa: true,
  mayGiveSudo: true,
})

/** Every device of the plan with its own key, bound to its user. */
export async function seedSystems(tx: Tx, world: World): Promise<string> {
  const { tenants, now, credentials, privateKeys } = world
  // In parallel: generating primes takes most of the time.
  const keys = await Promise.all(tenants.flatMap(({ devices }) => devices).map(newKeyPair))
  for (const tenant of tenants) {
    await actAs(tx, tenant.id)
    const random = new Random(`systems of ${tenant.id}`)
    const counts = { linux: 0, mac: 0, windows: 0 }
    for (const device of tenant.devices) {
      const { publicKey, privateKey } = keys.pop()!
      const row = record(device, counts[device.os]++, now, random)
      await seedSystem(tx, tenant.id, row, publicKey)
      const source = { type: 'user', id: device.owner.id } as const
      const target = { type: 'system', id: device.id } as const
      const context = namedEnds([source.id, device.owner.username], [target.id, device.displayName])
      await changeEdge(context, tx, demoAdministrator(tenant), { source, target, op: 'add' })
      const privateKeyPath = `systems/${device.id}.pem`
      privateKeys.set(privateKeyPath, privateKey)
      credentials.systems.push({
        id: device.id,
        organizationId: tenant.id,
        privateKeyPath,
        os: device.os,
        eligible: device.os === 'linux' && row.provisioner_type === 'administrator',
      })
    }
  }
  return `Systems: ${credentials.systems.length}`
}
