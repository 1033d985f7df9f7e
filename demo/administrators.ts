import { seedAdministrator } from '../server/admins/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import { ADMINISTRATORS } from './names.ts'
import { actAs } from './tenancy.ts'
import type { World } from './world.ts'

/** One for each kind of role, with passwords and keys that are shown once. */
export async function seedAdministrators(tx: Tx, world: World): Promise<string> {
  const { provider, tenants, credentials } = world
  const managed = tenants.filter(({ providerId }) => providerId === provider.id)
  for (const { home, firstname, lastname, roleName } of ADMINISTRATORS) {
    const tenant = tenants.find(({ name }) => name === home)
    const domain = tenant?.domain ?? provider.domain
    const email = `${firstname}.${lastname}@${domain}`.toLowerCase()
    await actAs(tx, tenant?.id ?? provider.id)
    const seeded = await seedAdministrator(
      tx,
      tenant
        ? { organization: tenant.id }
        : { provider: provider.id, organizations: managed.map(({ id }) => id) },
      { email, firstname, lastname, roleName },
    )
    for (const place of tenant ? [tenant] : [provider, ...managed])
      place.administrators.push({ id: seeded.id, email })
    credentials.administrators.push({
      email,
      password: seeded.password,
      apiKey: seeded.apiKey,
      role: roleName,
      organizationId: tenant?.id ?? null,
      providerId: tenant ? null : provider.id,
    })
  }
  return `Administrators: ${credentials.administrators.length}`
}
