import { recordEvent } from '../insights/index.ts'
import { foundOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import type { Db, Tx } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { randomToken, sha256 } from '../platform/secrets.ts'
import { hashKey, keyPrefix, newApiKey } from './api-key.ts'
import { announceChange } from './credential-cache.ts'
import { insertAdministratorKey } from './credential-store.ts'
import { hashPassword } from './passwords.ts'
import { builtInRole } from './roles.ts'
import { insertPasswordReset } from './session-store.ts'
import {
  anyAdministrator,
  findFirstWithoutPassword,
  insertAdministrator,
  linkOrganizations,
  lockFirstStart,
} from './store.ts'

const SETUP_HOURS = 72

export interface Credentials {
  id: string
  email: string
  password: string
  apiKey: string
}

type Home = { organization: string } | { provider: string; organizations: string[] }

interface Person {
  email: string
  firstname?: string
  lastname?: string
  roleName: string
  password?: string | undefined
  apiKey?: string | undefined
}

/** An administrator with a password and an API key: for the demo and the CLI. */
export async function seedAdministrator(tx: Tx, home: Home, person: Person): Promise<Credentials> {
  const password = person.password ?? randomToken(15)
  return { ...(await insertPerson(tx, home, { ...person, password })), password }
}

/** Without a password they choose one by a link. */
async function insertPerson(
  tx: Tx,
  home: Home,
  person: Person,
): Promise<Omit<Credentials, 'password'>> {
  const id = newId()
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
    ...(person.password !== undefined && { password_hash: await hashPassword(person.password) }),
  })
  if ('provider' in home)
    await linkOrganizations(
      await announceChange(tx),
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
  return { id, email: person.email, apiKey }
}

interface FirstAdministrator extends Omit<Credentials, 'password'> {
  organizationId: string
  providerId: string
}

/**
 * A token by which the first administrator chooses a password, for the page /console/password. Null if any
 * administrator has one. Each start makes another, and all work until one is used: several processes may print theirs.
 */
export async function createSetupToken(db: Db): Promise<string | null> {
  const person = await findFirstWithoutPassword(db)
  if (!person) return null
  const token = randomToken()
  const expiresAt = new Date(Date.now() + SETUP_HOURS * 3_600_000).toISOString()
  await insertPasswordReset(db, sha256(token), person, expiresAt)
  return token
}

/**
 * Creates the first organization, its provider and their administrator. The administrator belongs to the provider so that
 * more organizations can be created; with one organization no x-org-id is needed. Null if an administrator exists.
 */
export async function createFirstAdministrator(
  db: Db,
  wanted: { email: string; password: string | undefined; apiKey: string | undefined },
): Promise<FirstAdministrator | null> {
  if (await anyAdministrator(db)) return null
  const ids = { organizationId: newId(), providerId: newId() }
  const name = 'My organization'
  return db.tx(ids.providerId, async (tx) => {
    // Several processes may start at once on an empty database.
    await lockFirstStart(tx)
    if (await anyAdministrator(tx)) return null
    await foundOrganization(tx, name, 'My company', ids)
    const home = { provider: ids.providerId, organizations: [ids.organizationId] }
    const person = { ...wanted, roleName: 'Administrator with Billing' }
    const credentials = await insertPerson(tx, home, person)
    const caller = { ...systemCaller(ids.providerId, 'gatehouse'), providerId: ids.providerId }
    await recordEvent(tx, caller, {
      event_type: 'organization_create',
      organization: ids.organizationId,
      resource: { type: 'organization', id: ids.organizationId, name },
    })
    return { ...credentials, ...ids }
  })
}
