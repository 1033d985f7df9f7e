import type { Random } from '../random.ts'
import type { Tenant } from '../world.ts'
import { type Day, type Draft, HOUR } from './draft.ts'

const dnOf = (tenant: Tenant, uid: string) =>
  `uid=${uid},ou=Users,o=${tenant.id},dc=gatehouse,dc=example`

/** A file server that looks up users: one connection is a bind and a search. */
function lookUp(tenant: Tenant, at: number, random: Random): Draft[] {
  const username = 'svc-files'
  const connection = {
    connection_id: Buffer.from(random.hex(32), 'hex').toString('base64'),
    dn: dnOf(tenant, username),
    auth_method: 'simple',
    start_tls: false,
    tls_established: true,
    username,
    initiated_by: { type: 'user', username },
  }
  const success = random.chance(0.985)
  const bind: Draft = {
    at,
    service: 'ldap',
    type: 'ldap_bind',
    body: {
      ...connection,
      operation_number: 0,
      mech: 'SIMPLE',
      success,
      error_code: success ? 0 : 49,
      error_message: success ? '' : 'invalid credentials',
      auth_meta: { auth_methods: { password: { success } } },
    },
  }
  if (!success) return [bind]
  const search: Draft = {
    at: at + random.between(8, 90),
    service: 'ldap',
    type: 'ldap_search',
    body: {
      ...connection,
      operation_number: 1,
      success: true,
      error_code: 0,
      error_message: '',
      base: `ou=Users,o=${tenant.id},dc=gatehouse,dc=example`,
      scope: 2,
      deref: 0,
      filter: `(&(objectClass=posixAccount)(uid=${random.pick(tenant.staff).username}))`,
      attr: 'uid uidNumber gidNumber homeDirectory',
      number_of_results: 1,
    },
  }
  return [bind, search]
}

/** Around the clock, but more often during office hours. */
export function ldap(tenant: Tenant, day: Day, random: Random): Draft[] {
  const { offsetHours } = tenant.sites[0]!.place
  return Array.from({ length: 24 }, (_, hour) => {
    const local = (hour + offsetHours + 24) % 24
    const busy = day.workday && local >= 7 && local < 19
    return random.chance(busy ? 0.8 : 0.15)
      ? lookUp(tenant, day.start + hour * HOUR + random.between(0, HOUR - 1000), random)
      : []
  }).flat()
}
