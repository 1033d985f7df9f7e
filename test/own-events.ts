import assert from 'node:assert/strict'
import { enrol, newKeyPair, signedCaller } from './enrol.ts'
import type { Response, startApp } from './harness.ts'
import { addPerson } from './person.ts'
import { addGroup, callsOf, newWorld } from './sso/world.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Event = Record<string, unknown> & { event_type: string }

const AGENT = { 'user-agent': 'curl/8.5.0' }

async function ok(answer: Promise<Response>): Promise<Record<string, string>> {
  const res = await answer
  assert.ok(res.statusCode < 300, res.body)
  return /json/.test(String(res.headers['content-type'])) ? res.json() : {}
}

/** An organization with a little of every kind of activity. */
async function busyOrganization(app: App): Promise<Event[]> {
  const { org, application, user, person } = await newWorld(app)
  const { email, password, organizationId } = org
  const base = `/api/systemusers/${user.id}`
  const signIn = { email, password }
  await ok(app.anonymous.post('/auth/sign-in', signIn, AGENT))
  await ok(callsOf(app).visit(application.url, person.cookie))
  await ok(org.put(base, { jobTitle: 'Lead' }, AGENT))
  await ok(org.put(base, { password: 'Another-Orchard-59' }, AGENT))
  await ok(org.put(base, { account_locked: true }, AGENT))
  await ok(org.post(`${base}/unlock`, undefined, AGENT))
  const group = await addGroup(org, 'Everybody', user.id)
  await ok(org.put(`/api/v2/usergroups/${group}`, { name: 'All', description: 'x' }, AGENT))
  await ok(org.put(`/api/organizations/${organizationId}`, { settings: { contactName: 'Grace' } }))
  await ok(org.post('/insights/directory/v1/reports/users-to-devices', undefined, AGENT))

  const staged = await addPerson(org, { state: 'STAGED' })
  await ok(org.post(`/api/systemusers/${staged.id}/state/activate`, {}, AGENT))
  await ok(org.post(`/api/systemusers/${staged.id}/state/suspend`, undefined, AGENT))

  const { publicKey, privateKey } = newKeyPair()
  const system = await enrol(app.http, org, publicKey)
  const signed = signedCaller(app.http, system, privateKey)
  const login = { event_type: 'user_login', username: 'ada', message: 'x', process_name: 'sshd' }
  const told = { ...login, src_ip: '192.0.2.7', system_timestamp: '2026-01-01T00:00:00+01:00' }
  await ok(signed('POST', '/agent/v1/events', [told]))
  const body = { name: 'Usage', command: 'df', commandType: 'linux' }
  const command = await ok(org.post('/api/commands', body, AGENT))
  const run = { _id: command._id, systemIds: [system] }
  await ok(org.post('/api/runCommand', run, AGENT))
  return org.events()
}

async function busyProvider(app: App): Promise<Event[]> {
  const msp = await app.newProvider(1)
  const { providerId, email, password } = msp
  await ok(app.anonymous.post('/auth/sign-in', { email, password }, AGENT))
  await ok(msp.put(`/api/v2/providers/${providerId}`, { name: 'Renamed' }, AGENT))
  return msp.events()
}

/** Events as the service records them, of as many kinds as the demo shows. */
export const ownEvents = async (app: App): Promise<Event[]> => [
  ...(await busyOrganization(app)),
  ...(await busyProvider(app)),
]
