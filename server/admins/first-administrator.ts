import { recordEvent } from '../insights/index.ts'
import { foundOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { Db, Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { randomToken } from '../platform/secrets.ts'
import { sql } from '../platform/sql.ts'
import { hashKey, keyPrefix, newApiKey } from './api-key.ts'
import { insertAdministratorKey } from './credential-store.ts'
import { hashPassword } from './passwords.ts'
import { builtInRole } from './roles.ts'
import { anyAdministrator, insertAdministrator, linkOrganizations } from './store.ts'

export interface Credentials {
  id: string
  email: string
  password: string
  apiKey: string
}

/** An administrator who can sign in and call at once: first start, demo, CLI. */
export async function plantAdministrator(
  tx: Tx,
  home: { organization: string } | { provider: string; organizations: string[] },
  person: {
    email: string
    firstname?: string
    lastname?: string
    roleName: string
    password?: string | undefined
    apiKey?: string | undefined
  },
): Promise<Credentials> {
  const id = newId()
  const password = person.password ?? randomToken(15)
  const apiKey = person.apiKey ?? newApiKey()
  await insertAdministrator(tx, {
    id,
    organization: 'organization' in home ? home.organization : null,
    provider: 'provider' in home ? home.provider : null,
    email: person.email,
    firstname: person.firstname ?? '',
    lastname: person.lastname ?? '',
    role_ids: [builtInRole(person.roleName)!.id],
    enable_multi_factor: false,
    api_key_allowed: true,
    password_hash: await hashPassword(password),
  })
  if ('provider' in home)
    await linkOrganizations(
      tx,
      id,
      home.organizations.map((organization) => ({ id: newId(), organization })),
    )
  await insertAdministratorKey(tx, id, {
    hash: hashKey(apiKey),
    prefix: keyPrefix(apiKey),
    scopes: null,
    expiresAt: null,
  })
  const homeId = 'organization' in home ? home.organization : home.provider
  const caller = {
    ...systemCaller(homeId, 'gatehouse'),
    providerId: 'provider' in home ? home.provider : null,
  }
  await recordEvent(tx, caller, {
    event_type: 'admin_create',
    resource: { type: 'admin', id, email: person.email },
  })
  return { id, email: person.email, password, apiKey }
}

/**
 * The first organization, its provider and their administrator. The administrator belongs to the provider so
 * that more organizations can be created; with one organization no x-org-id is needed. Null when there is an
 * administrator already.
 */
export async function createFirstAdministrator(
  db: Db,
  wanted: { email: string; password: string | undefined; apiKey: string | undefined },
): Promise<(Credentials & { organizationId: string; providerId: string }) | null> {
  if (await anyAdministrator(db)) return null
  return db.tx(null, async (tx) => {
    // Several processes may start at once on an empty database.
    await tx.run(sql`select pg_advisory_xact_lock(4718236057)`)
    if (await anyAdministrator(tx)) return null
    const { organizationId, providerId } = await foundOrganization(
      tx,
      'My organization',
      'My company',
    )
    await tx.execute(`set local "app.organization_id" = '${providerId}'`)
    const home = { provider: providerId!, organizations: [organizationId] }
    const credentials = await plantAdministrator(tx, home, {
      ...wanted,
      roleName: 'Administrator with Billing',
    })
    const caller = { ...systemCaller(providerId!, 'gatehouse'), providerId }
    await recordEvent(tx, caller, {
      event_type: 'organization_create',
      organization: organizationId,
      resource: { type: 'organization', id: organizationId, name: 'My organization' },
    })
    return { ...credentials, organizationId, providerId: providerId! }
  })
}
