import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startScimLab } from '../../lab/scim/serve.ts'
import { newId } from '../../server/platform/ids.ts'
import type { Response, startApp } from '../harness.ts'
import { addApplication, type Org } from '../sso/world.ts'

type LabOptions = Parameters<typeof startScimLab>[0]

type App = Awaited<ReturnType<typeof startApp>>

export const ok = (res: Response, status = 200): Response => {
  assert.equal(res.statusCode, status, res.body)
  return res
}

export async function startLab(options: LabOptions = {}) {
  const lab = await startScimLab(options)
  after(lab.close)
  return lab
}
export type Lab = Awaited<ReturnType<typeof startLab>>

/** An organization with an application that provisions to the lab. */
export async function connectLab(app: App, lab: Pick<Lab, 'url' | 'token'>, settings: object = {}) {
  const org = await app.newOrganization()
  app.secrets.add(lab.token)
  const { id } = await addApplication(org)
  const path = `/api/v2/applications/${id}/provisioning`
  const body = { baseUrl: lab.url, auth: { type: 'bearer', token: lab.token }, ...settings }
  ok(await org.put(path, body))
  ok(await org.post(`${path}/activate`))
  await app.runDueProvisioning()
  return {
    org,
    id,
    path,
    body,
    status: async () => ok(await org.get(`${path}/status`)).json(),
    account: async (userId: string) => ok(await org.get(`${path}/users/${userId}`)).json(),
    bind: async (type: 'user' | 'user_group', target: string, op = 'add') => {
      ok(await org.post(`/api/v2/applications/${id}/associations`, { op, type, id: target }), 204)
    },
    provisioningEvents: async () =>
      (await org.events()).filter(({ event_type }) => /_provision$|deprovision/.test(event_type)),
  }
}

export async function addUser(org: Org, more: object = {}) {
  const username = `u.${newId()}`
  const body = { username, email: `${username}@example.com`, state: 'ACTIVATED', ...more }
  return ok(await org.post('/api/systemusers', body)).json() as { id: string; username: string }
}

/** One after the other: on a busy machine many at once are refused as too many. */
export async function addUsers(org: Org, count: number) {
  const users = []
  for (let at = 0; at < count; at++) users.push(await addUser(org))
  return users
}

export async function addGroupOf(org: Org, userIds: string[], name = `Group ${newId()}`) {
  const { id } = ok(await org.post('/api/v2/usergroups', { name }), 201).json()
  for (const userId of userIds) await member(org, id, userId)
  return id as string
}

export const member = async (org: Org, groupId: string, userId: string, op = 'add') =>
  ok(await org.post(`/api/v2/usergroups/${groupId}/members`, { op, type: 'user', id: userId }), 204)

/** The users that the provider holds: userName to whether active. */
export const held = (lab: Lab): Record<string, boolean> =>
  Object.fromEntries(
    [...lab.store.users.values()].map(({ userName, active }) => [
      String(userName),
      active as boolean,
    ]),
  )
