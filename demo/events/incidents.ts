import { PLACES } from '../names.ts'
import type { Random } from '../random.ts'
import type { Tenant } from '../world.ts'
import { adminEvent, type Desk } from './administration.ts'
import { alertEvent, type Subject } from './alerts.ts'
import { atLocal, type Day, type Draft, MINUTE } from './draft.ts'
import { portalLogin } from './sign-ins.ts'

// Incidents worth finding: each leaves events of several services, so that a search can reconstruct it.

/** A remote attacker guesses passwords, the account locks, the help desk resolves it in the morning. */
function guessedPasswords(tenant: Tenant, desk: Desk, day: Day, random: Random): Draft[] {
  const victim = tenant.staff[7]!
  const from = { ip: '198.51.100.222', geoip: PLACES.elsewhere.geoip }
  const start = atLocal(day, victim.place, 3.2)
  const drafts = Array.from({ length: 24 }, (_, at) =>
    portalLogin(victim, start + at * 15_000 + random.between(0, 9000), from, false),
  )
  const locked = start + 6.5 * MINUTE
  const morning = atLocal(day, desk.place, 8.4)
  const resource = { type: 'user', id: victim.id, username: victim.username }
  const subject: Subject = {
    alertId: random.id(locked),
    tenant,
    type: 'user',
    id: victim.id,
    username: victim.username,
    context: JSON.stringify({ count: drafts.length }),
  }
  drafts.push(
    {
      at: locked,
      service: 'directory',
      type: 'user_lockout',
      body: {
        initiated_by: { type: 'user', id: victim.id, email: victim.email },
        resource,
        auth_method: 'session',
        client_ip: from.ip,
        geoip: from.geoip,
        useragent: victim.browser,
        provider: null,
        success: true,
        mfa: false,
        changes: [{ field: 'account_locked', from: false, to: true }],
      },
    },
    alertEvent(subject, locked + 900, 'alert_created', {
      severity: 'High',
      initiated_by: { type: 'system' },
      client_ip: from.ip,
      geoip: from.geoip,
    }),
    adminEvent(desk, morning, 'user_unlocked', {
      resource,
      changes: [{ field: 'account_locked', from: true, to: false }],
    }),
    adminEvent(desk, morning + MINUTE, 'user_password_reset_request', { resource }),
    alertEvent(subject, morning + 3 * MINUTE, 'alert_status_updated', {
      severity: 'High',
      initiated_by: { type: 'admin', id: desk.admin.id, email: desk.admin.email },
      client_ip: desk.ip,
      geoip: desk.place.geoip,
      changes: [{ field: 'status', from: 'Open', to: 'Resolved' }],
    }),
  )
  return drafts
}

/** New employees are imported from the HR system; a correlation id links the events of the job. */
function imported(tenant: Tenant, desk: Desk, day: Day, random: Random): Draft[] {
  const start = atLocal(day, desk.place, 10.1)
  const correlation = { id: random.id(start), type: 'user_import' }
  return tenant.staff.slice(-8).flatMap((person, at) => {
    const resource = { type: 'user', id: person.id, username: person.username }
    return [
      adminEvent(
        desk,
        start + at * 180,
        'systemuser_create',
        {
          resource,
          correlation,
          initiated_by: {
            type: 'admin',
            id: desk.admin.id,
            email: desk.admin.email,
            source: 'scim',
          },
          changes: [
            { field: 'username', to: person.username },
            { field: 'email', to: person.email },
            { field: 'state', to: 'STAGED' },
          ],
        },
        true,
      ),
      adminEvent(desk, start + 40 * MINUTE + at * 7000, 'user_activated', {
        resource,
        changes: [{ field: 'state', from: 'STAGED', to: 'ACTIVATED' }],
      }),
    ]
  })
}

/** An employee leaves: suspended in the afternoon, which ends access to applications. */
function departure(tenant: Tenant, desk: Desk, day: Day): Draft[] {
  const person = tenant.staff[11]!
  const resource = { type: 'user', id: person.id, username: person.username }
  const at = atLocal(day, desk.place, 17.1)
  return [
    adminEvent(desk, at, 'user_suspended', {
      resource,
      changes: [{ field: 'state', from: 'ACTIVATED', to: 'SUSPENDED' }],
    }),
    ...tenant.apps.map(({ id, displayLabel }, nth) =>
      adminEvent(desk, at + 4000 * (nth + 1), 'user_delete_provision', {
        initiated_by: { type: 'system' },
        resource,
        application: { id, name: displayLabel },
        idm_client_id: id,
        message_chain: {
          response_code: '204',
          response_message: 'user deactivated',
          message_details: 'OK',
        },
      }),
    ),
  ]
}

/** By number of the workday; a month has at least twenty. */
const CALENDAR: Record<number, typeof departure | typeof imported> = {
  4: imported,
  9: departure,
  15: guessedPasswords,
}

export function incidents(tenant: Tenant, desks: Desk[], day: Day, random: Random): Draft[] {
  const story = day.workday ? CALENDAR[day.nthWorkday] : undefined
  return story && desks[0] ? story(tenant, desks[0], day, random) : []
}
