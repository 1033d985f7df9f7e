import { CredentialCache, linkNewOrganization } from '../server/admins/index.ts'
import {
  createOrganization,
  deleteOrganization,
  eraseOrganization,
  findAnyOrganization,
  foundStandaloneOrganization,
  KEPT_DAYS,
  listAllOrganizations,
  type OrganizationContext,
} from '../server/organizations/index.ts'
import { systemCaller } from '../server/platform/caller.ts'
import type { Db } from '../server/platform/db/index.ts'
import { OperatorError } from '../server/platform/errors.ts'
import { hook } from '../server/platform/hooks.ts'
import { isId } from '../server/platform/ids.ts'
import { command, UsageError } from './command.ts'
import { print, table } from './output.ts'
import { withRuntime } from './runtime.ts'

async function createUnder(db: Db, providerId: string, name: string): Promise<string> {
  const caller = { ...systemCaller(providerId, 'gatehouse'), providerId }
  const created: OrganizationContext['created'] = hook()
  created.on(linkNewOrganization({ cache: new CredentialCache() }))
  const row = await createOrganization({ db, created }, caller, providerId, { name })
  return row.id
}

async function remove(db: Db, id: string, name: string): Promise<void> {
  const row = await findAnyOrganization(db, id)
  if (!row) throw new OperatorError(`There is no organization ${id}; gatehouse org list shows them`)
  if (row.deleted_at !== null) return
  const removed: OrganizationContext['removed'] = hook()
  removed.on(async (tx) => void (await new CredentialCache().announce(tx)))
  const actor = systemCaller(row.provider ?? id, 'gatehouse')
  await deleteOrganization({ db, removed }, actor, row.provider, id, name)
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
          deleted: row.deleted_at,
        }))
        print(json, organizations, () =>
          table(
            ['ID', 'NAME', 'PROVIDER', 'PROVIDER NAME', 'STATE'],
            organizations.map((row) => [
              row.id,
              row.name,
              row.provider ?? '-',
              row.providerName ?? '-',
              row.deleted === null ? 'active' : `deleted ${row.deleted}`,
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
  delete: command({
    about: 'Deletes an organization: at once for everybody, its data some weeks later.',
    operands: ['ID'],
    options: {
      name: {
        type: 'string',
        value: 'NAME',
        about: 'Name of the organization, to confirm',
        required: true,
      },
      now: { type: 'boolean', about: 'Erase the data now; it cannot be restored' },
    },
    notes: [`Within ${KEPT_DAYS} days a provider's administrator can restore it through the API.`],
    json: true,
    run({ operands: [id], options: { name, now }, json }) {
      if (!isId(id!)) throw new UsageError(`"${id}" is not an id; gatehouse org list shows them`)
      return withRuntime(async ({ db }) => {
        await remove(db, id!, name)
        const erased = now ? await eraseOrganization(db, id!) : null
        print(json, { id, name, erasedRows: erased }, () => [
          erased === null
            ? `Deleted ${name}; its data is erased after ${KEPT_DAYS} days.`
            : `Deleted ${name}, and erased its ${erased} rows.`,
        ])
      })
    },
  }),
}
