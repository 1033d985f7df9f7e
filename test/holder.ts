import assert from 'node:assert/strict'
import type { startApp } from './harness.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Org = Awaited<ReturnType<App['newOrganization']>>

let roles = 0

/** Another administrator, who has these scopes until `give` gives others. */
export async function addHolder(app: App, org: Org, scopes: string[]) {
  const admin = await app.addAdministrator(org.organizationId, 'Read Only')
  const give = async (wanted: string[]) => {
    const name = `Holder ${++roles}`
    const made = await org.post('/api/v2/roles', { name, scopes: wanted })
    assert.equal(made.statusCode, 200, made.body)
    const given = await org.put(`/api/users/${admin.id}`, { roleNames: [name] })
    assert.equal(given.statusCode, 200, given.body)
  }
  await give(scopes)
  return { ...admin, give }
}
