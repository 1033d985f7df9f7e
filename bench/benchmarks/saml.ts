import { type Benchmark, percent, profileFlags } from '../benchmark.ts'
import { runJson } from '../child.ts'
import { addWorld, PEOPLE } from '../directory/world.ts'
import type { Load, LoadResult } from '../load.ts'
import { FEW, MANY, requestsPerSecond } from '../load.ts'
import { compare } from '../rounds.ts'
import { keyHeader, type Service, startService, temporaryDataDir, userOf } from '../service.ts'

const GOAL = 0.5
const WARM_UPS = 8
const PASSWORD = 'Tangled-Orchard-58'

async function call<T>(
  service: Service,
  path: string,
  body: object,
  headers: Record<string, string> = keyHeader(service.apiKey),
) {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  const text = await response.text()
  return { response, value: (text === '' ? {} : JSON.parse(text)) as T }
}

/** An application with four attributes, and the cookie of a user with access. */
async function prepare(service: Service) {
  const person = { ...userOf('saml'), state: 'ACTIVATED', password: PASSWORD }
  const { value: user } = await call<{ id: string }>(service, '/api/systemusers', person)
  const databaseAttributes = ['email', 'username', 'firstname', 'lastname'].map((name) => ({
    name,
    value: name,
  }))
  const { value: application } = await call<{ id: string }>(service, '/api/applications', {
    name: 'saml2',
    displayLabel: 'Bench',
    displayName: 'Bench',
    ssoUrl: 'bench',
    active: true,
    config: {
      acsUrl: { value: 'https://sp.example.com/acs' },
      spEntityId: { value: 'https://sp.example.com' },
      databaseAttributes: { value: databaseAttributes },
    },
  })
  const binding = { op: 'add', type: 'user', id: user.id }
  await call(service, `/api/v2/applications/${application.id}/associations`, binding)
  const login = { identifier: person.email, password: PASSWORD }
  const { response } = await call(service, '/auth/users/sign-in', login, {})
  return { cookie: response.headers.getSetCookie()[0]!.split(';')[0]! }
}

/** Responses for a signed-in user, each with its event, against bare signatures. */
export const saml: Benchmark = {
  name: 'saml',
  async run(settings) {
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings))
    try {
      const headers = await prepare(service)
      const load = (seconds: number, connections: number): Load => ({
        url: `${service.url}/saml2/bench`,
        method: 'GET',
        headers,
        connections,
        seconds,
      })
      const baseline = async (seconds: number) =>
        (await runJson<{ perSecond: number }>('bench/baselines/rsa-sign.ts', { seconds })).perSecond
      const against = (connections: number) =>
        compare(
          { baseline, ours: (seconds) => requestsPerSecond(load(seconds, connections)) },
          settings,
          WARM_UPS,
        )
      const result = await against(MANY)
      const quiet = await against(FEW)
      await addWorld(service)
      const { p99, perSecond } = await runJson<LoadResult>(
        'bench/cannon.ts',
        load(settings.seconds, FEW),
      )
      return [
        {
          name: `SAML response from a live session, with its event, ${MANY} at a time`,
          unit: 'responses/s',
          ...result,
          goal: `at least ${percent(GOAL)}`,
          met: result.ratio >= GOAL,
        },
        {
          name: `the same, ${FEW} at a time`,
          unit: 'responses/s',
          ...quiet,
          goal: '–',
          met: true,
        },
        {
          name: `the same among ${PEOPLE.toLocaleString('en')} people, p99 at ${FEW} at a time`,
          unit: 'ms',
          baseline: null,
          ours: p99,
          ratio: null,
          goal: '–',
          met: true,
          rounds: { p99, perSecond },
        },
      ]
    } finally {
      await service.stop()
      remove()
    }
  },
}
