import { isProfileName, PROFILES } from '../lab/scim/profiles.ts'
import { withoutTrailing } from '../server/platform/trailing.ts'
import { command, UsageError } from './command.ts'

const SP_PORT = 8090
const SCIM_PORT = 8091
const PEOPLE_PORT = 8092
const MAX_PEOPLE = 1_000_000
const WORKDAY_PORT = 8093

const names = Object.keys(PROFILES)

function number(option: string, text: string, min: number, max: number, pattern = /^\d+$/): number {
  const value = Number(text)
  if (!pattern.test(text) || !(value >= min && value <= max))
    throw new UsageError(`--${option} must be a number from ${min} to ${max}`)
  return value
}

const faultOptions = {
  'fail-rate': { type: 'string', value: 'R', about: 'Share of requests that fail, 0 to 1 (0)' },
  'fail-status': { type: 'string', value: 'N', about: 'Status of those that fail (500)' },
  delay: { type: 'string', value: 'MS', about: 'Milliseconds before each reply (0)' },
  seed: { type: 'string', value: 'N', about: 'The same seed, the same failures (1)' },
} as const

type FaultOptions = { [option in keyof typeof faultOptions]?: string | undefined }

function readFaults({ 'fail-rate': failRate, 'fail-status': status, delay, seed }: FaultOptions) {
  return {
    ...(failRate && { failRate: number('fail-rate', failRate, 0, 1, /^[\d.]+$/) }),
    ...(status && { status: number('fail-status', status, 400, 599) }),
    ...(delay && { delayMs: number('delay', delay, 0, 600_000) }),
    ...(seed && { seed: number('seed', seed, 0, 2 ** 31) }),
  }
}

function closeOnSignal(lab: { close: () => Promise<unknown> }): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void lab.close().then(() => process.exit(0)))
}

function listProfiles(): void {
  const width = Math.max(...names.map(({ length }) => length))
  for (const [name, { about }] of Object.entries(PROFILES))
    process.stdout.write(`${name.padEnd(width)}  ${about}\n`)
}

export const verb = {
  sp: command({
    about: 'Runs a SAML service provider on this machine that shows what an application receives.',
    options: {
      idp: { type: 'string', value: 'URL', about: 'URL of Gatehouse (http://localhost:8080)' },
      port: { type: 'string', value: 'N', about: `Port to listen on (${SP_PORT})` },
    },
    notes: [
      'Create an application with the entity ID and the ACS URL shown on its page, give a user',
      'access to it, and sign in.',
    ],
    async run({ options: { idp = 'http://localhost:8080', port = String(SP_PORT) } }) {
      if (!URL.canParse(idp))
        throw new UsageError('--idp must be a URL such as https://id.example.com')
      const { serveSp } = await import('../lab/sp/serve.ts')
      const lab = await serveSp({
        port: number('port', port, 1, 65_535),
        idp: withoutTrailing('/', idp),
      })
      process.stdout.write(`The service provider is at ${lab.sp}; press Ctrl-C to stop.\n`)
      closeOnSignal(lab)
    },
  }),

  scim: command({
    about: 'Runs a SCIM provider on this machine, in memory, that shows which users it receives.',
    options: {
      port: { type: 'string', value: 'N', about: `Port to listen on, 0 for any (${SCIM_PORT})` },
      profile: {
        type: 'string',
        value: 'NAME',
        about: 'A known kind of misbehaviour (standard); "list" lists them',
      },
      token: { type: 'string', value: 'T', about: 'The bearer token (random)' },
      ...faultOptions,
    },
    notes: [
      'Prints a base URL and a token. Connect an application to them and bind a group: its members',
      'appear on the page of the provider. Gatehouse calls addresses of this machine only if it runs',
      'with GATEHOUSE_OUTBOUND_ALLOW=127.0.0.1.',
    ],
    async run({ options }) {
      const { port = String(SCIM_PORT), profile = 'standard', token } = options
      if (profile === 'list') return listProfiles()
      if (!isProfileName(profile))
        throw new UsageError(`There is no profile "${profile}"; use one of: ${names.join(', ')}`)
      const { startScimLab } = await import('../lab/scim/serve.ts')
      const lab = await startScimLab({
        port: number('port', port, 0, 65_535),
        profile,
        faults: readFaults(options),
        ...(token && { token }),
      })
      process.stdout.write(
        [
          `The SCIM provider is at ${lab.page}; press Ctrl-C to stop.`,
          `  profile   ${profile}`,
          `  base URL  ${lab.url}`,
          `  token     ${lab.token}`,
          ...(profile === 'oauth'
            ? [
                `  The token is the secret of the client "lab" at ${new URL('/oauth/token', lab.url)}.`,
              ]
            : []),
          'Start Gatehouse with GATEHOUSE_OUTBOUND_ALLOW=127.0.0.1, connect an application to the base URL',
          'with the token, and bind a group: the page shows its members. To try the connection:',
          `  curl -H 'Authorization: Bearer ${lab.token}' ${lab.url}/Users`,
          '',
        ].join('\n'),
      )
      closeOnSignal(lab)
    },
  }),

  people: command({
    about: 'Runs a people API on this machine, a source of imports.',
    options: {
      port: { type: 'string', value: 'N', about: `Port to listen on, 0 for any (${PEOPLE_PORT})` },
      people: { type: 'string', value: 'N', about: 'How many people it has (50)' },
      token: { type: 'string', value: 'T', about: 'The bearer token (none: everybody may read)' },
      ...faultOptions,
    },
    notes: [
      'Prints the addresses of the same people with each style of paging and in each format.',
      'Gatehouse calls addresses of this machine only if it runs with',
      'GATEHOUSE_OUTBOUND_ALLOW=127.0.0.1.',
    ],
    async run({ options }) {
      const { port = String(PEOPLE_PORT), people = '50', token } = options
      const faults = readFaults(options)
      const { PATHS, startPeopleLab } = await import('../lab/people.ts')
      const lab = await startPeopleLab({
        port: number('port', port, 0, 65_535),
        people: number('people', people, 0, MAX_PEOPLE),
        faults,
        ...(token && { token }),
      })
      const header = token ? `-H 'Authorization: Bearer ${token}' ` : ''
      process.stdout.write(
        [
          `The people API is at ${lab.url}; press Ctrl-C to stop.`,
          ...PATHS.map((path) => `  ${lab.url}${path}`),
          'Start Gatehouse with GATEHOUSE_OUTBOUND_ALLOW=127.0.0.1. To see the people:',
          `  curl ${header}'${lab.url}/offset?limit=2'`,
          '',
        ].join('\n'),
      )
      closeOnSignal(lab)
    },
  }),

  workday: command({
    about: 'Runs a report server like that of Workday on this machine, with invented workers.',
    options: {
      port: { type: 'string', value: 'N', about: `Port to listen on, 0 for any (${WORKDAY_PORT})` },
      username: { type: 'string', value: 'NAME', about: 'The user name (ISU_Gatehouse)' },
      password: { type: 'string', value: 'P', about: 'The password (random)' },
      workers: { type: 'string', value: 'N', about: 'Workers in the report (200)' },
    },
    notes: [
      'Prints the address of the report and the credentials. Gatehouse calls addresses of this machine',
      'only if it runs with GATEHOUSE_OUTBOUND_ALLOW=127.0.0.1.',
    ],
    async run({ options: { port = String(WORKDAY_PORT), username, password, workers } }) {
      const { startWorkdayLab } = await import('../lab/workday.ts')
      const lab = await startWorkdayLab({
        port: number('port', port, 0, 65_535),
        ...(username && { username }),
        ...(password && { password }),
        ...(workers && { workers: number('workers', workers, 0, 100_000) }),
      })
      process.stdout.write(
        [
          'The report server is running; press Ctrl-C to stop.',
          `  report URL  ${lab.reportUrl}`,
          `  username    ${lab.username}`,
          `  password    ${lab.password}`,
          'Start Gatehouse with GATEHOUSE_OUTBOUND_ALLOW=127.0.0.1. To see the report:',
          `  curl -u '${lab.username}:${lab.password}' '${lab.reportUrl}'`,
          '',
        ].join('\n'),
      )
      closeOnSignal(lab)
    },
  }),
}
