import { type Remote, type ScimClient, ScimFailure, type ScimUser } from '../scim/index.ts'
import { checkAdoption } from './adopt.ts'
import type { Step } from './desired.ts'
import { overlap } from './drift.ts'
import type { Desired } from './evaluate.ts'
import type { AccountState } from './schema.ts'
import type { Settings } from './settings.ts'

/** Accounts of the provider, read once instead of looked up one by one. */
export interface Directory {
  find(externalId: string, userName: string): Remote | undefined
}

export interface Pushed {
  event: `user_${'create' | 'update' | 'delete'}_provision` | 'user_deprovision'
  state: AccountState
  remoteId: string | null
  written: Record<string, unknown> | null
}

interface Target {
  remoteId: string | null
  written: Record<string, unknown> | null
}

type Wish = Pick<Desired, 'resource' | 'user'>

const nameOf = ({ userName }: ScimUser) => userName ?? ''

/** An account that exists already becomes ours, and gets our attributes. */
async function adopt(client: ScimClient, found: Remote, resource: ScimUser): Promise<Pushed> {
  const before = overlap(found, resource) as ScimUser
  await client.updateUser(found.id, { before, after: resource })
  return {
    event: 'user_update_provision',
    state: 'provisioned',
    remoteId: found.id,
    written: resource,
  }
}

async function create(
  client: ScimClient,
  desired: Wish,
  policy: Settings['adopt'],
  directory: Directory | null,
): Promise<Pushed> {
  const resource = desired.resource!
  const take = (found: Remote) => {
    checkAdoption(found, desired, policy)
    return adopt(client, found, resource)
  }
  const keys = { externalId: resource.externalId!, name: nameOf(resource) }
  const found = directory
    ? directory.find(keys.externalId, keys.name)
    : await client.find('User', keys)
  if (found) return take(found)
  try {
    const { id } = await client.create('User', resource)
    return { event: 'user_create_provision', state: 'provisioned', remoteId: id, written: resource }
  } catch (error) {
    if (!(error instanceof ScimFailure && error.kind === 'exists')) throw error
    const other = await client.find('User', keys)
    if (other) return take(other)
    throw new ScimFailure(
      'exists',
      `${error.message}; but no account with this user name or external id can be found`,
      { ...(error.status !== undefined && { status: error.status }), detail: error.detail },
    )
  }
}

async function update(
  client: ScimClient,
  { remoteId, written }: Target,
  desired: Wish,
  policy: Settings['adopt'],
): Promise<Pushed> {
  const resource = desired.resource!
  try {
    await client.updateUser(remoteId!, { ...(written && { before: written }), after: resource })
  } catch (error) {
    // Deleted behind our back, or by a provider that treats inactive accounts as deleted.
    if (error instanceof ScimFailure && error.kind === 'not_found')
      return create(client, desired, policy, null)
    throw error
  }
  return { event: 'user_update_provision', state: 'provisioned', remoteId, written: resource }
}

async function deactivate(client: ScimClient, { remoteId, written }: Target): Promise<Pushed> {
  const inactive = { ...written, active: false }
  try {
    await client.setActive(remoteId!, false)
  } catch (error) {
    if (!(error instanceof ScimFailure && error.kind === 'not_found')) throw error
    return { event: 'user_deprovision', state: 'deleted', remoteId: null, written: null }
  }
  return { event: 'user_deprovision', state: 'deactivated', remoteId, written: inactive }
}

/** Some providers do not delete. The person is locked out all the same; the row says that the account is still there. */
async function remove(client: ScimClient, { remoteId }: Target): Promise<Pushed> {
  try {
    await client.remove('User', remoteId!)
  } catch (error) {
    if (!(error instanceof ScimFailure && error.kind === 'rejected')) throw error
    const deactivated = await client.setActive(remoteId!, false).then(
      () => true,
      () => false,
    )
    if (!deactivated) throw error
    const { message, status, detail } = error
    throw new ScimFailure('rejected', `${message}; it is inactive now`, {
      ...(status !== undefined && { status }),
      detail,
    })
  }
  return { event: 'user_delete_provision', state: 'deleted', remoteId: null, written: null }
}

/** Carries out one step. Each is idempotent: after a lost response it is simply taken again. */
export function pushUser(
  client: ScimClient,
  action: Exclude<Step['action'], 'none'>,
  target: Target,
  desired: Wish,
  policy: Settings['adopt'],
  directory: Directory | null,
): Promise<Pushed> {
  switch (action) {
    case 'create':
      return create(client, desired, policy, directory)
    case 'update':
      return update(client, target, desired, policy)
    case 'deactivate':
      return deactivate(client, target)
    case 'delete':
      return remove(client, target)
  }
}
