import { hashPassword } from '../server/admins/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import { randomToken } from '../server/platform/secrets.ts'
import { seedUser } from '../server/users/index.ts'
import type { Person } from './people.ts'
import { Random } from './random.ts'
import { actAs } from './tenancy.ts'
import type { Tenant, World } from './world.ts'

const DAY = 86_400_000
const LEVELS = ['Associate', 'Specialist', 'Senior Specialist', 'Coordinator']

function jobTitle(tenant: Tenant, { id, managerId, department }: Person, random: Random): string {
  if (managerId === null) return 'Managing Director'
  const leads = tenant.staff.some((other) => other.managerId === id)
  return leads ? `Head of ${department}` : `${random.pick(LEVELS)}, ${department}`
}

function record(tenant: Tenant, person: Person, at: number, random: Random) {
  const { place, state, managerId: manager } = person
  return {
    username: person.username,
    email: person.email,
    firstname: person.firstname,
    lastname: person.lastname,
    displayname: `${person.firstname} ${person.lastname}`,
    department: person.department,
    company: tenant.name,
    costCenter: String(100 + tenant.departments.indexOf(person.department) * 10),
    employeeIdentifier: `${tenant.domain.slice(0, 2).toUpperCase()}-${String(at + 1).padStart(4, '0')}`,
    employeeType: random.chance(0.12) ? 'Contractor' : 'Employee',
    jobTitle: jobTitle(tenant, person, random),
    location: place.city,
    manager,
    state,
    enable_user_portal_multifactor: person.mfa,
    attributes: [
      { name: 'badge', value: random.hex(6) },
      { name: 'site', value: place.city },
    ],
    addresses: [{ type: 'work', locality: place.city, country: place.geoip.country_code }],
    phoneNumbers: [{ type: 'work', number: `+00 555 01${String(at).padStart(2, '0')}` }],
  }
}

/** All staff. One password per organization: hashing two hundred would delay the first start. */
export async function seedUsers(tx: Tx, { tenants, now, credentials }: World): Promise<string> {
  for (const tenant of tenants) {
    await actAs(tx, tenant.id)
    const random = new Random(`records of ${tenant.id}`)
    const password = `Demo-${randomToken(12)}-1a`
    const hash = await hashPassword(password)
    for (const [at, person] of tenant.staff.entries()) {
      const { id, username, email, state } = person
      const created = new Date(now - random.between(40, 900) * DAY)
      const body = record(tenant, person, at, random)
      const passwordHash = state === 'STAGED' ? null : hash
      await seedUser(tx, tenant.id, { id, body, passwordHash, created, source: 'gatehouse:bulk' })
      credentials.users.push({
        id,
        organizationId: tenant.id,
        username,
        email,
        // A STAGED user has no password yet.
        password: passwordHash ? password : '',
        state,
      })
    }
  }
  return `Users: ${credentials.users.length}`
}
