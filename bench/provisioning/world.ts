import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { connectionsOf } from '../../server/platform/postgres/embedded.ts'
import { addGroups, addPeople, idOf } from '../directory/world.ts'
import { firstOrganization, keyHeader, type Service } from '../service.ts'
import type { Lab } from './lab.ts'

/** Groups of these sizes, with the first of the people in each; returns their ids. */
export async function addGroupsOf(service: Service, sizes: number[]): Promise<string[]> {
  const client = new pg.Client(connectionsOf(service.dataDir).owner)
  await client.connect()
  try {
    const organizationId = await firstOrganization(service)
    const run = (text: string) => client.query(text, [organizationId])
    await addPeople(run, Math.max(...sizes))
    await addGroups(run, sizes)
    await client.query('call recount_members()')
    await client.query('call recount_nodes()')
    await client.query('vacuum analyze')
    return sizes.map((_, at) => idOf('user_group', at + 1))
  } finally {
    await client.end()
  }
}

/** An application with a connection to the lab, and what the benchmark does with it. */
export async function connect(service: Service, lab: Lab, name: string, settings: object = {}) {
  const headers = { ...keyHeader(service.apiKey), 'content-type': 'application/json' }
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const { id } = await call<{ id: string }>('POST', '/api/applications', {
    name: 'bookmark',
    displayLabel: name,
    active: true,
    ssoUrl: 'https://example.com/',
  })
  const path = `/api/v2/applications/${id}/provisioning`
  const auth = { type: 'bearer', token: lab.token }
  await call('PUT', path, { baseUrl: lab.url, auth, ...settings })
  await call('POST', `${path}/activate`, {})

  interface Status {
    working: boolean
    users: { provisioned: number; waiting: number; parked: number; failing: number }
    reconciliation: { started: string; matching: number } | null
  }
  return {
    bind: (op: 'add' | 'remove', groupId: string) =>
      call('POST', `/api/v2/applications/${id}/associations`, {
        op,
        type: 'user_group',
        id: groupId,
      }),
    reconcile: () => call('POST', `${path}/reconcile`, { mode: 'report' }),
    deactivate: () => call('POST', `${path}/deactivate`, {}),
    /** Polls until the status is as wanted. */
    async until(isDone: (status: Status) => boolean): Promise<Status> {
      for (;;) {
        const status = await call<Status>('GET', `${path}/status`)
        if (status.users.parked + status.users.failing > 0)
          throw new Error(`Accounts fail: ${JSON.stringify(status.users)}`)
        if (isDone(status)) return status
        await delay(250)
      }
    },
  }
}
