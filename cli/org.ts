import { CredentialCache, linkNewOrganization } from '../server/admins/index.ts'
import {
  createOrganization,
  foundStandaloneOrganization,
  listAllOrganizations,
  type OrganizationContext,
} from '../server/organizations/index.ts'
import { systemCaller } from '../server/platform/caller.ts'
import type { Db } from '../server/platform/db/index.ts'
import { hook } from '../server/platform/hooks.ts'
import { isId } from '../server/platform/ids.ts'
import { command, UsageError } from './command.ts'
import { print, table } from './output.ts'
import { withRuntime } from './runtime.ts'

async function createUnder(db: Db, providerId: string, name: string): Promise<string> {
  const caller = { ...systemCaller(providerId, 'gatehouse'), providerId }
  const context: OrganizationContext = { db, created: hook(), changed: hook() }
  context.created.on(linkNewOrganization({ cache: new CredentialCache() }))
  const row = await createOrganization(context, caller, providerId, { name })
  return row.id
}

export const verb = {
  list: command({
    about: 'Lists the organizations of all providers.',
    json: true,
    run: ({ json }) =>
      withRuntime(async ({ db }) => {
        const rows = await listAllOrganizations(db)
        const organizations = rows.map((row) => ({
          id: row.id,
          name: row.name,
          provider: row.provider,
          providerName: row.provider_name,
          created: row.created,
        }))
        print(json, organizations, () =>
          table(
            ['ID', 'NAME', 'PROVIDER', 'PROVIDER NAME'],
            organizations.map((row) => [
              row.id,
              row.name,
              row.provider ?? '-',
              row.providerName ?? '-',
            ]),
          ),
        )
      }),
  }),
  create: command({
    about: 'Creates an organization, either standalone or for a provider.',
    options: {
      name: { type: 'string', value: 'NAME', about: 'Name of the organization', required: true },
      provider: { type: 'string', value: 'ID', about: 'Provider of the organization' },
    },
    notes: ['A standalone organization needs its own administrator: gatehouse admin create.'],
    json: true,
    run({ options: { name, provider }, json }) {
      if (provider !== undefined && !isId(provider))
        throw new UsageError(`"${provider}" is not an id; gatehouse org list shows them`)
      return withRuntime(async ({ db }) => {
        const id = await (provider === undefined
          ? foundStandaloneOrganization(db, name)
          : createUnder(db, provider, name))
        print(json, { id, name, provider: provider ?? null }, () => [`Created ${name}: ${id}`])
      })
    },
  }),
}
