import { changeEdge } from '../server/graph/index.ts'
import { seedGroup } from '../server/groups/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import { Random } from './random.ts'
import { demoAdministrator, namedEnds } from './systems.ts'
import { actAs } from './tenancy.ts'
import type { Tenant, World } from './world.ts'

const LINUX = 'Linux systems'

const equals = (field: string, value: string) => ({
  queryType: 'FilterQuery',
  filters: [{ field, operator: 'eq', value }],
})

/** One group for each department: the first is automatic, the second suggests, the others are static. */
async function seedDepartments(tx: Tx, { id: organizationId, groups, staff }: Tenant) {
  const METHODS = ['DYNAMIC_AUTOMATED', 'DYNAMIC_REVIEW_REQUIRED'] as const
  for (const [at, { id, name }] of groups.entries()) {
    const people = staff.filter(({ department }) => department === name).map((person) => person.id)
    const method = METHODS[at] ?? 'STATIC'
    // A new user with a pending suggestion.
    const suggested = method === 'DYNAMIC_REVIEW_REQUIRED' ? people.splice(-1) : []
    await seedGroup(tx, organizationId, {
      id,
      type: 'user_group',
      name,
      description: `People of ${name}`,
      membership_method: method,
      member_query: method === 'STATIC' ? null : equals('department', name),
      members: people,
      suggested,
    })
  }
}

/** The Linux systems, on which the first department has administrator rights. */
async function seedLinuxSystems(tx: Tx, tenant: Tenant): Promise<void> {
  const id = new Random(`system groups of ${tenant.id}`).id()
  const devices = tenant.devices.filter(({ os }) => os === 'linux')
  await seedGroup(tx, tenant.id, {
    id,
    type: 'system_group',
    name: LINUX,
    description: 'Every system that runs Linux',
    membership_method: 'DYNAMIC_AUTOMATED',
    member_query: equals('osFamily', 'linux'),
    members: devices.map((device) => device.id),
  })
  const [group] = tenant.groups
  const context = namedEnds([group!.id, group!.name], [id, LINUX])
  await changeEdge(context, tx, demoAdministrator(tenant), {
    source: { type: 'user_group', id: group!.id },
    target: { type: 'system_group', id },
    op: 'add',
    attributes: { sudo: { enabled: true, withoutPassword: false } },
  })
}

/** A group for each department of each organization, and one for its Linux systems. */
export async function seedGroups(tx: Tx, { tenants }: World): Promise<string> {
  let groups = 0
  for (const tenant of tenants) {
    await actAs(tx, tenant.id)
    await seedDepartments(tx, tenant)
    await seedLinuxSystems(tx, tenant)
    groups += tenant.groups.length
  }
  return `Groups: ${groups} of users, ${tenants.length} of systems`
}
