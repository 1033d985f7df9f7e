import type { Application, Person } from '../people.ts'
import type { Random } from '../random.ts'
import type { Tenant } from '../world.ts'
import { atLocal, type Day, type Draft, MINUTE } from './draft.ts'

interface Origin {
  ip: string
  geoip: Person['place']['geoip']
}

export function portalLogin(person: Person, at: number, from: Origin, success: boolean): Draft {
  const mfa = success && person.mfa
  return {
    at,
    service: 'directory',
    type: 'user_login_attempt',
    body: {
      initiated_by: { type: 'user', id: person.id, email: person.email },
      resource: { type: 'user', id: person.id, username: person.username },
      auth_method: 'session',
      client_ip: from.ip,
      geoip: from.geoip,
      useragent: person.browser,
      provider: null,
      success,
      mfa,
      ...(mfa && { mfa_meta: { type: 'totp' } }),
      ...(!success && { error_message: 'invalid credentials' }),
      auth_context: {
        auth_methods: { password: { success }, ...(mfa && { totp: { success: true } }) },
        policies_applied: [{ name: 'Global Policy', id: '' }],
      },
      target_resource: { type: 'user_portal' },
    },
  }
}

const ssoAuth = (
  person: Person,
  application: Application,
  at: number,
  from: Origin,
  fromPortal: boolean,
): Draft => ({
  at,
  service: 'sso',
  type: 'sso_auth',
  body: {
    initiated_by: { type: 'user', id: person.id, username: person.username },
    application: {
      display_label: application.displayLabel,
      id: application.id,
      name: application.name,
      sso_url: application.ssoUrl,
    },
    client_ip: from.ip,
    useragent: person.browser,
    geoip: from.geoip,
    idp_initiated: fromPortal,
    success: true,
    sso_token_success: true,
    mfa: person.mfa,
  },
})

/** The wireless network of the office. */
const radiusAuth = (person: Person, at: number, success: boolean): Draft => ({
  at: at - (at % 1000),
  service: 'radius',
  type: 'radius_auth',
  body: {
    nas_mfa_state: 'disabled',
    auth_type: 'eap',
    eap_type: 'mschapv2',
    client_ip: person.officeIp,
    geoip: person.place.geoip,
    success,
    username: person.username,
    error_message: success ? null : 'mschap: MS-CHAP2-Response is incorrect',
    mfa: false,
    mfa_meta: { type: 'none' },
    outer: { eap_type: 'peap', username: person.username, error_message: null },
    initiated_by: { type: 'user', id: person.id, username: person.username },
  },
})

const vaultUse = (person: Person, at: number, from: Origin, random: Random): Draft => ({
  at,
  service: 'password_vault',
  type: random.pick([
    'passwordvault_credential_autofill',
    'passwordvault_credential_autofill',
    'passwordvault_credential_copy',
    'passwordvault_credential_add',
  ]),
  body: {
    changes: [],
    initiated_by: { id: person.id, type: 'user', email: person.email, source: 'browser_extension' },
    client_ip: from.ip,
    user_agent: person.browser,
    success: true,
    geoip: from.geoip,
    provider: null,
  },
})

/** One person's day: network, portal, then applications until the evening. */
function personDay(tenant: Tenant, person: Person, day: Day, random: Random): Draft[] {
  const inOffice = day.workday && random.chance(0.7)
  const from = { ip: inOffice ? person.officeIp : person.homeIp, geoip: person.place.geoip }
  const arrival = atLocal(day, person.place, random.around(8.8, 1.6))
  const drafts: Draft[] = []
  if (inOffice && random.chance(0.7)) {
    if (random.chance(0.03)) drafts.push(radiusAuth(person, arrival - MINUTE, false))
    drafts.push(radiusAuth(person, arrival, true))
  }
  let at = arrival + random.between(20_000, 12 * MINUTE)
  if (random.chance(0.45)) {
    if (random.chance(0.06)) drafts.push(portalLogin(person, at - 14_000, from, false))
    drafts.push(portalLogin(person, at, from, true))
  }
  for (let visits = random.between(0, day.workday ? 2 : 1); visits > 0; visits--) {
    at += random.between(40_000, 150 * MINUTE)
    // The first in the list is the most popular.
    const application = random.chance(0.5) ? tenant.apps[0]! : random.pick(tenant.apps)
    drafts.push(ssoAuth(person, application, at, from, random.chance(0.35)))
  }
  if (random.chance(0.1)) drafts.push(vaultUse(person, at + 2 * MINUTE, from, random))
  return drafts
}

export const signIns = (tenant: Tenant, day: Day, random: Random): Draft[] =>
  tenant.staff
    .filter(({ state }) => random.chance(day.workday ? 0.86 : 0.05) && state !== 'STAGED')
    .flatMap((person) => personDay(tenant, person, day, random))
