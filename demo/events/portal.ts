import type { Random } from '../random.ts'
import { BROWSERS } from '../useragents.ts'
import type { Administrator, Tenant, World } from '../world.ts'
import { atLocal, type Day, type Draft, MINUTE } from './draft.ts'

function portalEvent(
  { provider }: World,
  admin: Administrator,
  at: number,
  type: string,
  body: Record<string, unknown>,
): Draft {
  const { id, email } = admin
  return {
    at,
    service: 'directory',
    type,
    body: {
      client_ip: provider.officeIp,
      resource: { type: 'admin', id, email },
      changes: [],
      provider: provider.id,
      geoip: provider.place.geoip,
      useragent: BROWSERS[2],
      initiated_by: { type: 'admin', id, provider: provider.id, email },
      auth_method: 'session',
      success: true,
      mfa: true,
      ...body,
    },
  }
}

/** The provider's staff sign in, open organizations of their customers and manage billing. */
export function portal(world: World, managed: Tenant[], day: Day, random: Random): Draft[] {
  if (!day.workday) return []
  return world.provider.administrators.flatMap((admin) => {
    let at = atLocal(day, world.provider.place, random.around(8.6, 1))
    const drafts = [portalEvent(world, admin, at, 'admin_login_attempt', {})]
    for (let visits = random.between(2, 6); visits > 0; visits--) {
      at += random.between(4, 80) * MINUTE
      const { id: organization } = random.pick(managed)
      drafts.push(portalEvent(world, admin, at, 'admin_login_attempt', { organization }))
    }
    if (day.index % 9 === 4) {
      const { id, name } = random.pick(managed)
      drafts.push(
        portalEvent(world, admin, at + MINUTE, 'organization_update', {
          organization: id,
          resource: { type: 'organization', id },
          changes: [{ field: 'displayName', from: name.split(' ')[0], to: name }],
        }),
      )
    }
    if (day.index % 13 === 8)
      drafts.push(
        portalEvent(world, admin, at + 2 * MINUTE, 'provider_update', {
          resource: { type: 'provider', id: world.provider.id },
          changes: [{ field: 'contact.email', to: `billing@${world.provider.domain}` }],
        }),
      )
    return drafts
  })
}
