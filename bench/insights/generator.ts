import { createHash } from 'node:crypto'
import { mulberry32 } from '../../test/insights/random.ts'

// Two million realistic events, deterministic by seed.

export interface GeneratedEvent {
  organization: number
  timestamp: Date
  id: string
  service: string
  document: string
}

const hex = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

const FIRST =
  'ada alan barbara claude dennis edsger frances grace hedy john ken linus margaret niklaus radia rosa tim tony'.split(
    ' ',
  )
const LAST =
  'lovelace turing liskov shannon ritchie dijkstra allen hopper lamarr mccarthy thompson torvalds hamilton wirth perlman parks lee hoare'.split(
    ' ',
  )
const APPLICATIONS =
  'zoom slack github jira salesforce workday aws gcp azure figma miro notion dropbox box okta asana'.split(
    ' ',
  )
const COUNTRIES = [
  ['us', 'america/denver', 'na', 'colorado', 'co', 39.7388, -104.9868],
  ['de', 'europe/berlin', 'eu', 'berlin', 'be', 52.5196, 13.4069],
  ['fr', 'europe/paris', 'eu', 'paris', '75', 48.8323, 2.4075],
  ['in', 'asia/kolkata', 'as', 'karnataka', 'ka', 12.9753, 77.591],
] as const
const AGENTS = [
  {
    os: 'Windows',
    name: 'Chrome',
    major: '130',
    minor: '0',
    patch: '0',
    device: 'Other',
    os_full: 'Windows 10',
    os_name: 'Windows',
    version: '130.0.0.0',
    os_major: '10',
    os_version: '10',
  },
  {
    os: 'Mac OS X',
    name: 'Safari',
    major: '18',
    minor: '1',
    patch: '',
    device: 'Mac',
    os_full: 'Mac OS X 10.15.7',
    os_name: 'Mac OS X',
    version: '18.1',
    os_major: '10',
    os_version: '10.15.7',
  },
]
/** Each has about 72 % as many events as the previous one: the largest has 28 % of all. */
const SHRINK = 0.72
export const DAYS = 90

export function* generate(
  organizations: readonly string[],
  count: number,
  until: Date,
  seed = 20261115,
): Generator<GeneratedEvent> {
  const next = mulberry32(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const digits = (length: number) => {
    let text = ''
    while (text.length < length) text += (below(2 ** 32) + 2 ** 32).toString(16).slice(1)
    return text.slice(0, length)
  }
  const uuid = () => `${digits(8)}-${digits(4)}-7${digits(3)}-a${digits(3)}-${digits(12)}`

  const shares = organizations.map((_, at) => SHRINK ** at)
  const total = shares.reduce((sum, share) => sum + share, 0)
  const pickOrganization = () => {
    let left = next() * total
    let at = 0
    while (at < shares.length - 1 && left >= shares[at]!) left -= shares[at++]!
    return at
  }
  /** A few are busy, most are rare. */
  const person = (organization: number) => {
    const people = Math.max(50, Math.round(6000 * SHRINK ** organization))
    const number = Math.floor(people * next() ** 3)
    return {
      id: hex(`user ${organization} ${number}`, 24),
      username: `${FIRST[number % FIRST.length]}.${LAST[(number >> 2) % LAST.length]}${number}`,
    }
  }
  const system = (organization: number) => {
    const number = below(Math.max(20, Math.round(2500 * SHRINK ** organization)))
    return { id: hex(`system ${organization} ${number}`, 24), number }
  }
  const address = () => `203.0.${below(256)}.${below(256)}`
  const geoip = () => {
    const [country_code, timezone, continent_code, region_name, region_code, latitude, longitude] =
      pick(COUNTRIES)
    return { country_code, timezone, latitude, continent_code, region_name, region_code, longitude }
  }
  const failure = () =>
    next() < 0.0002
      ? `tls: certificate with serial ${digits(16)} was revoked`
      : pick([
          'invalid credentials',
          'account is locked',
          'multi-factor authentication failed',
          'password has expired',
        ])

  const makers: [number, string, (org: number, organization: string) => object][] = [
    [
      0.3,
      'sso',
      (org) => {
        const app = below(APPLICATIONS.length)
        const name = APPLICATIONS[app]!
        return {
          event_type: 'sso_auth',
          initiated_by: { ...person(org), type: 'user' },
          application: {
            display_label: name,
            id: hex(`application ${org} ${app}`, 24),
            name,
            sso_url: `https://sso.example.com/saml2/${name}`,
          },
          client_ip: address(),
          useragent: pick(AGENTS),
          geoip: geoip(),
          idp_initiated: next() < 0.3,
          auth_context: {
            policies_applied: [
              { id: hex(`policy ${org} ${app % 3}`, 24), name: 'require a second factor' },
            ],
            auth_methods: { password: { success: true }, totp: { success: true } },
          },
          '@version': 1,
        }
      },
    ],
    [
      0.2,
      'radius',
      (org) => {
        const { username } = person(org)
        const success = next() < 0.9
        return {
          event_type: 'radius_auth',
          nas_mfa_state: '',
          auth_type: 'eap',
          eap_type: pick(['peap', 'ttls', 'mschapv2']),
          client_ip: address(),
          geoip: geoip(),
          success,
          username,
          error_message: success ? null : failure(),
          mfa: next() < 0.5,
          mfa_meta: { type: '' },
          outer: { eap_type: null, username, error_message: null },
          initiated_by: { type: 'user', username },
          '@version': 1,
        }
      },
    ],
    [
      0.25,
      'directory',
      (org) => {
        const who = person(org)
        const target = person(org)
        const success = next() < 0.97
        return {
          event_type: pick([
            'user_login_attempt',
            'admin_login_attempt',
            'systemuser_update',
            'association_change',
            'group_update',
            'user_password_change',
          ]),
          initiated_by: { ...who, type: 'user', email: `${who.username}@example.com` },
          resource: { ...target, type: 'user' },
          auth_method: 'session',
          client_ip: address(),
          useragent: pick(AGENTS),
          geoip: geoip(),
          changes: [
            { field: 'department', from: pick(LAST), to: pick(LAST) },
            { field: 'costCenter', to: String(below(999)) },
          ],
          success,
          ...(!success && { error_message: failure() }),
          mfa: next() < 0.5,
          provider: null,
          '@version': 1,
        }
      },
    ],
    [
      0.15,
      'systems',
      (org) => {
        const { id, number } = system(org)
        const { username } = person(org)
        return {
          event_type: pick(['login_attempt', 'agent_bind', 'tallylog', 'lockout_reset']),
          system: { id, hostname: `host-${number}.example.com`, displayName: `host ${number}` },
          message: `session opened for user ${username} by ${pick(['sshd', 'gdm', 'login'])}(pid ${below(65536)})`,
          client_ip: address(),
          src_ip: address(),
          username,
          process_name: pick(['sshd', 'gdm-password', 'login']),
          success: next() < 0.95,
          windows_meta: { elevated: false, logon_type: 'interactive' },
          '@version': 1,
        }
      },
    ],
    [
      0.1,
      'ldap',
      (org) => {
        const { username } = person(org)
        const success = next() < 0.95
        return {
          event_type: pick(['ldap_bind', 'ldap_search']),
          connection_id: digits(12),
          operation_number: below(100),
          dn: `uid=${username},ou=users,o=${hex(`ldap ${org}`, 24)},dc=example,dc=com`,
          auth_method: 'simple',
          start_tls: true,
          tls_established: true,
          username,
          success,
          error_code: success ? 0 : 49,
          error_message: success ? '' : failure(),
          base: `ou=users,o=${hex(`ldap ${org}`, 24)},dc=example,dc=com`,
          filter: `(&(objectclass=inetorgperson)(uid=${username}))`,
          number_of_results: below(20),
          initiated_by: { type: 'user', username },
          '@version': 1,
        }
      },
    ],
  ]

  const pickMaker = (chance: number) => {
    let sum = 0
    for (const maker of makers) {
      sum += maker[0]
      if (chance < sum) return maker
    }
    return makers[0]!
  }

  const start = until.getTime() - DAYS * 86_400_000
  for (let at = 0; at < count; at++) {
    const org = pickOrganization()
    const time = new Date(start + Math.floor(((at + next()) / count) * DAYS * 86_400_000))
    const id = uuid()
    const [, service, make] = pickMaker(next())
    const organization = organizations[org]!
    const document = {
      ...(service !== 'ldap' && { id }),
      ...make(org, organization),
      timestamp: time.toISOString(),
      organization,
      service,
    }
    yield { organization: org, timestamp: time, id, service, document: JSON.stringify(document) }
  }
}
