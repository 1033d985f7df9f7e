import { insertOrganization, insertProvider } from '../server/organizations/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import type { World } from './world.ts'

/** The provider, its two organizations and a standalone one. */
export async function seedOrganizations(tx: Tx, world: World): Promise<string> {
  const { provider, tenants, credentials } = world
  await insertProvider(tx, provider.id, provider.name)
  credentials.provider.id = provider.id
  for (const { id, name, singleTenant, providerId } of tenants) {
    await insertOrganization(tx, {
      id,
      provider: providerId,
      name,
      settings: {},
      max_system_users: 0,
    })
    credentials.organizations.push({ id, name, singleTenant })
  }
  return `Organizations: ${tenants.map(({ name }) => name).join(', ')}`
}
