import type { Caller } from '../platform/caller.ts'
import { notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { compileMapping, type Mapping } from '../platform/mapping/index.ts'
import { SCHEMAS, ScimClient, ScimFailure } from '../scim/index.ts'
import { sessionFor } from './actions.ts'
import type { ProvisioningContext } from './context.ts'
import { loadSources } from './evaluate.ts'
import { checkGroups } from './rights.ts'
import type { ProvisioningTest } from './schema.ts'

/** Carries out steps in turn until one fails, and reports each. */
class Protocol {
  readonly steps: ProvisioningTest['steps'] = []

  async step<T>(name: string, work: () => Promise<T>, done: (result: T) => string): Promise<T> {
    const started = Date.now()
    const note = (ok: boolean, message: string) =>
      this.steps.push({ name, ok, ms: Date.now() - started, message })
    try {
      const result = await work()
      note(true, done(result))
      return result
    } catch (error) {
      if (!(error instanceof ScimFailure)) throw error
      note(false, error.message)
      throw error
    }
  }
}

/**
 * Tries the connection. With `write`, it also creates, changes and deletes a test user and a test group; a provider that
 * cannot delete has them deactivated.
 */
export async function testConnection(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  write: boolean,
): Promise<ProvisioningTest> {
  const session = await sessionFor(context, caller, applicationId)
  const client = new ScimClient(session.provider)
  const protocol = new Protocol()
  try {
    await protocol.step(
      'Read the ServiceProviderConfig',
      () => client.serviceProviderConfig(),
      (config) =>
        config ? 'The provider describes itself' : 'The provider has none; that is fine',
    )
    await protocol.step(
      'Read a user',
      () => client.list('User').next(),
      ({ done }) => (done ? 'The provider has no users yet' : 'The provider has users'),
    )
    if (write) await tryWriting(client, protocol, session.settings.groups.push)
  } catch (error) {
    if (!(error instanceof ScimFailure)) throw error
  }
  return { ok: protocol.steps.every(({ ok }) => ok), steps: protocol.steps }
}

async function tryWriting(client: ScimClient, protocol: Protocol, groups: boolean): Promise<void> {
  const mark = newId()
  const name = `gatehouse-test-${mark}@example.com`
  const user = {
    schemas: [SCHEMAS.User],
    externalId: mark,
    userName: name,
    name: { givenName: 'Gatehouse', familyName: 'Test' },
    displayName: 'Gatehouse Test',
    emails: [{ type: 'work', value: name, primary: true }],
    active: true,
  }
  const { id } = await protocol.step(
    'Create a test user',
    () => client.create('User', user),
    (created) => `Created with the id ${created.id}`,
  )
  try {
    await protocol.step(
      'Find it again',
      () => client.find('User', { externalId: mark, name }),
      (found) => (found ? 'Found' : 'Not found: the provider may be slow to list new users'),
    )
    await protocol.step(
      'Change and deactivate it',
      () =>
        client.updateUser(id, {
          before: user,
          after: { ...user, displayName: 'Gatehouse Test 2', active: false },
        }),
      () => 'Changed',
    )
    if (groups) await tryGroup(client, protocol, id, mark)
  } finally {
    await protocol.step(
      'Delete the test user',
      () =>
        client.remove('User', id).catch((error) => {
          // Deactivated above, which is all that can be done.
          if (!(error instanceof ScimFailure && error.kind === 'rejected')) throw error
        }),
      () => 'Deleted, or left deactivated',
    )
  }
}

async function tryGroup(
  client: ScimClient,
  protocol: Protocol,
  userId: string,
  mark: string,
): Promise<void> {
  const group = {
    schemas: [SCHEMAS.Group],
    externalId: mark,
    displayName: `Gatehouse test ${mark}`,
  }
  const { id } = await protocol.step(
    'Create a test group',
    () => client.create('Group', group),
    (created) => `Created with the id ${created.id}`,
  )
  try {
    await protocol.step(
      'Add the test user to it',
      () => client.changeMembers(id, { add: [userId], remove: [], all: async () => [userId] }),
      () => 'Added',
    )
  } finally {
    await protocol.step(
      'Delete the test group',
      () => client.remove('Group', id),
      () => 'Deleted',
    )
  }
}

/** What the mapping, or another one, makes of a user. */
export async function previewUser(
  context: ProvisioningContext,
  caller: Caller,
  applicationId: string,
  userId: string,
  mapping?: Mapping,
) {
  const { db, now = Date.now } = context
  const { organizationId } = caller
  const session = await sessionFor(context, caller, applicationId)
  const tried = mapping ?? session.settings.mapping
  checkGroups(caller, { groups: { push: false, only: null }, mapping: tried })
  const compiled = compileMapping(tried)
  const tenant = db.tenant(organizationId)
  const loaded = await loadSources(tenant, organizationId, applicationId, [userId], true, now())
  const user = loaded.users.get(userId)
  if (!user) throw notFound('user_not_found', 'Not Found: there is no such user')
  const source = loaded.sources.get(userId)!
  const groups = { groups: loaded.groups.get(userId) ?? [] }
  const { result, problems } = compiled.evaluate(source, groups)
  return {
    userId,
    username: user.username,
    rows: compiled.preview(source, groups),
    resource: result,
    problems: problems.map(({ target, problem }) => `${target}: ${problem}`),
  }
}
