import pg from 'pg'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { type Benchmark, percent, profileFlags } from '../benchmark.ts'
import { runJson } from '../child.ts'
import { makeWorld, PEOPLE } from '../directory/world.ts'
import type { Load, LoadResult } from '../load.ts'
import { requestsPerSecond } from '../load.ts'
import { compare } from '../rounds.ts'
import {
  firstOrganization,
  keyHeader,
  type Service,
  startService,
  temporaryDataDir,
  userOf,
} from '../service.ts'

const GOAL = 0.6
const CONNECTIONS = 16
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

/** An application with four attributes, and the cookie of somebody who may use it. */
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

async function addPeople(dataDir: string, organizationId: string): Promise<void> {
  const client = new pg.Client(connectionsOf(dataDir).owner)
  await client.connect()
  try {
    await makeWorld(client, organizationId)
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** Responses for somebody who is signed in, each with its event, against signatures alone. */
export const saml: Benchmark = {
  name: 'saml',
  async run(settings) {
    const { dataDir, remove } = temporaryDataDir()
    const service = await startService(dataDir, profileFlags(settings))
    try {
      const headers = await prepare(service)
      const load = (seconds: number): Load => ({
        url: `${service.url}/saml2/bench`,
        method: 'GET',
        headers,
        connections: CONNECTIONS,
        seconds,
      })
      const baseline = async (seconds: number) =>
        (await runJson<{ perSecond: number }>('bench/baselines/rsa-sign.ts', { seconds })).perSecond
      const ours = (seconds: number) => requestsPerSecond(load(seconds))
      const result = await compare({ baseline, ours }, settings)
      await addPeople(dataDir, await firstOrganization(service))
      const { p99, perSecond } = await runJson<LoadResult>(
        'bench/cannon.ts',
        load(settings.seconds),
      )
      return [
        {
          name: 'SAML response from a live session, with its event',
          unit: 'responses/s',
          ...result,
          goal: `at least ${percent(GOAL)}`,
          met: result.ratio >= GOAL,
        },
        {
          name: `the same among ${PEOPLE.toLocaleString('en')} people, p99 at ${CONNECTIONS} at a time`,
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
