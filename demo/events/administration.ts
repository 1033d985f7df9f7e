import type { Place } from '../names.ts'
import type { Person } from '../people.ts'
import type { Random } from '../random.ts'
import { BROWSERS, CURL } from '../useragents.ts'
import type { Administrator, Tenant } from '../world.ts'
import { atLocal, type Day, type Draft, MINUTE } from './draft.ts'

/** Location and user agent of an administrator. */
export interface Desk {
  admin: Administrator
  place: Place
  ip: string
  providerId: string | null
}

const userOf = (person: Person) => ({ type: 'user', id: person.id, username: person.username })
const initiatorOf = ({ admin }: Desk) => ({ type: 'admin', id: admin.id, email: admin.email })

export const adminEvent = (
  desk: Desk,
  at: number,
  type: string,
  body: Record<string, unknown>,
  byKey = false,
): Draft => ({
  at,
  service: 'directory',
  type,
  body: {
    initiated_by: initiatorOf(desk),
    auth_method: byKey ? 'api-key' : 'session',
    client_ip: desk.ip,
    geoip: desk.place.geoip,
    useragent: byKey ? CURL : BROWSERS[2],
    provider: desk.providerId,
    success: true,
    mfa: !byKey,
    ...body,
  },
})

const adminLogin = (desk: Desk, at: number, success: boolean): Draft =>
  adminEvent(desk, at, 'admin_login_attempt', {
    resource: { type: 'admin', id: desk.admin.id, email: desk.admin.email },
    success,
    mfa: success,
    ...(!success && { error_message: 'invalid credentials' }),
  })

const TITLES = ['Lead', 'Senior Specialist', 'Specialist', 'Coordinator', 'Trainee']

type Routine = (tenant: Tenant, desk: Desk, at: number, random: Random) => Draft

/** The small changes of an ordinary day; common ones are listed repeatedly. */
const ROUTINES: Routine[] = [
  changeTitle,
  changeTitle,
  changeAccess,
  changeAccess,
  setPassword,
  runCommand,
  changeGroup,
  runReport,
  decideRequest,
  changeChannel,
  reviewSoftware,
  storePackage,
]

function changeTitle(tenant: Tenant, desk: Desk, at: number, random: Random): Draft {
  const change = { field: 'jobTitle', from: random.pick(TITLES), to: random.pick(TITLES) }
  const resource = userOf(random.pick(tenant.staff))
  return adminEvent(desk, at, 'systemuser_update', { resource, changes: [change] })
}

function changeAccess(tenant: Tenant, desk: Desk, at: number, random: Random): Draft {
  const person = random.pick(tenant.staff)
  const application = random.pick(tenant.apps)
  return adminEvent(
    desk,
    at,
    'association_change',
    {
      association: { type: 'user', id: person.id, email: person.email },
      resource: { type: 'application', id: application.id, name: application.displayLabel },
      changes: [{ field: 'association', to: random.pick(['add', 'add', 'remove']) }],
    },
    random.chance(0.4),
  )
}

function setPassword(tenant: Tenant, desk: Desk, at: number, random: Random): Draft {
  return adminEvent(desk, at, 'user_password_change', {
    resource: userOf(random.pick(tenant.staff)),
    changes: [{ field: 'password' }],
  })
}

function runCommand(tenant: Tenant, desk: Desk, at: number, random: Random): Draft {
  const { id, hostname, displayName } = random.pick(tenant.devices)
  return adminEvent(
    desk,
    at,
    'command_run',
    {
      resource: { type: 'command', id: tenant.id, name: 'Collect disk usage' },
      system: { id, hostname, displayName, type: 'system' },
      correlation: { id: random.id(at), type: 'command_run' },
      changes: [{ field: 'systems', to: [id] }],
    },
    true,
  )
}

function changeGroup(tenant: Tenant, desk: Desk, at: number, random: Random): Draft {
  const group = random.pick(tenant.groups)
  return adminEvent(desk, at, 'group_update', {
    resource: { type: 'user_group', id: group.id, name: group.name },
    changes: [{ field: 'description', from: '', to: `People of ${group.name}` }],
  })
}

function runReport(tenant: Tenant, desk: Desk, at: number, random: Random): Draft {
  const name = random.pick(['Users to devices', 'Users to SSO applications', 'OS versions'])
  return {
    at,
    service: 'reports',
    type: 'report_run',
    body: {
      changes: [],
      resource: {
        name,
        id: tenant.id,
        description: `${name} of ${tenant.name}`,
        resources: ['users', 'devices'],
        search_request: {},
        configuration: {},
      },
      initiated_by: initiatorOf(desk),
      auth_method: 'session',
      client_ip: desk.ip,
      user_agent: BROWSERS[2],
      geoip: desk.place.geoip,
      provider: desk.providerId,
    },
  }
}

function decideRequest(tenant: Tenant, desk: Desk, at: number, random: Random): Draft {
  const person = random.pick(tenant.staff)
  return {
    at,
    service: 'access_management',
    type: 'access_management_access_request_approval',
    body: {
      pid: desk.providerId ?? '',
      access_request_id: random.id(at),
      changes: [{ field: 'status', from: 'PENDING', to: random.pick(['APPROVED', 'DENIED']) }],
      resource: { type: 'systemuser', id: person.id, name: person.username },
      workflow: {
        type: 'access-workflow',
        id: tenant.groups[0]!.id,
        name: 'Local administrator for a day',
        desc: 'Rights on the own device, taken back after a day',
      },
      initiated_by: { ...initiatorOf(desk), source: 'console' },
      association: { type: 'user', id: person.id, email: person.email },
      client_ip: desk.ip,
      user_agent: BROWSERS[2],
      success: true,
      geoip: desk.place.geoip,
      provider: desk.providerId,
    },
  }
}

function changeChannel(tenant: Tenant, desk: Desk, at: number): Draft {
  return {
    at,
    service: 'notifications',
    type: 'notification_channel_updated',
    body: {
      name: 'Failed sign-ins',
      type: 'email',
      description: 'Tells the administrators about locked accounts',
      channel_object_id: tenant.groups[0]!.id,
      correlation: { id: tenant.id },
      config: [{ name: 'Security', email: `security@${tenant.domain}` }],
      success: true,
      initiated_by: initiatorOf(desk),
      client_ip: desk.ip,
    },
  }
}

function reviewSoftware(_: Tenant, desk: Desk, at: number, random: Random): Draft {
  const name = random.pick(['Whiteboard', 'Survey Maker', 'Time Sheet'])
  return {
    at,
    service: 'saas_app_management',
    type: 'saas_management_application_update',
    body: {
      changes: [{ field: 'status', from: 'UNAPPROVED', to: random.pick(['APPROVED', 'IGNORED']) }],
      geoip: desk.place.geoip,
      initiated_by: initiatorOf(desk),
      client_ip: desk.ip,
      username: desk.admin.email,
      resource: {
        application_id: name.toLowerCase().replaceAll(' ', ''),
        application_name: name,
        application_category: 'Collaboration',
      },
      detail: 'The status of an application was changed.',
    },
  }
}

function storePackage(tenant: Tenant, _: Desk, at: number, random: Random): Draft {
  return {
    at,
    service: 'object_storage',
    type: 'object_storage_create',
    body: {
      result: 'Success',
      referrer_object_id: tenant.id,
      referrer_type: 'SOFTWARE_APP',
      object_storage_item_object_id: random.id(at),
      object_storage_item_version_object_id: random.id(at),
      object_storage_item_version_name: random.pick(['printer-driver.pkg', 'vpn-client.msi']),
      object_storage_item_version_size: random.between(2_000_000, 180_000_000),
      object_storage_item_version_sha_256_sum: random.hex(64),
      total_software_item_count: random.between(10, 20),
      total_space_used: random.between(2_200_000_000, 4_400_000_000),
    },
  }
}

/** Sign in, do a few things, sometimes mistype the password first. */
export function administration(tenant: Tenant, desks: Desk[], day: Day, random: Random): Draft[] {
  if (!day.workday) return []
  return desks.flatMap((desk) => {
    if (!random.chance(0.8)) return []
    let at = atLocal(day, desk.place, random.around(9, 2))
    const drafts = [adminLogin(desk, at, true)]
    if (random.chance(0.08)) drafts.push(adminLogin(desk, at - 11_000, false))
    for (let changes = random.between(1, 5); changes > 0; changes--) {
      at += random.between(2, 70) * MINUTE
      drafts.push(random.pick(ROUTINES)(tenant, desk, at, random))
    }
    return drafts
  })
}
