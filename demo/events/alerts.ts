import type { Random } from '../random.ts'
import type { Tenant } from '../world.ts'
import { atLocal, type Day, type Draft, MINUTE } from './draft.ts'

export interface Subject {
  alertId: string
  tenant: Tenant
  type: 'user' | 'device'
  id: string
  username: string
  context: string
}

export const alertEvent = (
  subject: Subject,
  at: number,
  type: string,
  body: Record<string, unknown>,
): Draft => ({
  at,
  service: 'alert',
  type,
  body: {
    category: subject.type === 'user' ? 'Directory' : 'System',
    success: true,
    username: subject.username,
    resource: {
      id: subject.alertId,
      context: subject.context,
      source_id: subject.id,
      source_type: subject.type,
      reference_id: subject.tenant.id,
    },
    correlation: { id: subject.alertId },
    changes: [],
    ...body,
  },
})

/** Now and then a device goes offline; the alert closes when it is back. */
export function quietDevices(tenant: Tenant, day: Day, random: Random): Draft[] {
  if (!day.workday || !random.chance(0.4)) return []
  const { id, owner } = random.pick(tenant.devices)
  const at = atLocal(day, owner.place, random.around(11, 3))
  const subject: Subject = {
    alertId: random.id(at),
    tenant,
    type: 'device',
    id,
    username: owner.username,
    context: JSON.stringify({ hours: random.between(24, 72) }),
  }
  const common = {
    severity: 'Low',
    client_ip: owner.officeIp,
    geoip: owner.place.geoip,
    initiated_by: { type: 'system' },
  }
  return [
    alertEvent(subject, at, 'alert_created', common),
    alertEvent(subject, at + random.between(30, 240) * MINUTE, 'alert_status_updated', {
      ...common,
      changes: [{ field: 'status', from: 'Open', to: 'Resolved' }],
    }),
  ]
}
