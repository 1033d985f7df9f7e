import { builtInRole } from '../server/admins/roles.ts'
import { linkOrganizations, providerOwnerIds } from '../server/admins/store.ts'
import { recordEvent } from '../server/insights/index.ts'
import { createOrganization } from '../server/organizations/actions.ts'
import { foundOrganization, type OnOrganizationCreated } from '../server/organizations/index.ts'
import { systemCaller } from '../server/platform/caller.ts'
import type { Db } from '../server/platform/db.ts'
import { isId, newId } from '../server/platform/ids.ts'
import { sql } from '../server/platform/sql.ts'
import { command, UsageError } from './command.ts'
import { withGround } from './ground.ts'
import { print, table } from './output.ts'

interface Row {
  id: string
  name: string
  provider: string | null
  providerName: string | null
  created: string
}

/** Of all providers: the operator of the machine sees everything. */
const listAll = (db: Db) =>
  db.many<Row>(sql`
    select o.id, o.name, o.provider, p.name as "providerName", o.created
      from organizations o left join providers p on p.id = o.provider
     order by p.name nulls first, o.name, o.id`)

/** One that stands alone, without a provider. */
const createSingle = (db: Db, name: string): Promise<string> =>
  db.tx(null, async (tx) => {
    const { organizationId } = await foundOrganization(tx, name, null)
    await tx.execute(`set local "app.organization_id" = '${organizationId}'`)
    await recordEvent(tx, systemCaller(organizationId, 'gatehouse'), {
      event_type: 'organization_create',
      resource: { type: 'organization', id: organizationId, name },
    })
    return organizationId
  })

/** Those who answer for the whole provider reach it at once, as when one of them creates it. */
const linkOwners: OnOrganizationCreated = async (tx, { homeId }, organization) => {
  const ownerRole = builtInRole('Administrator with Billing')!.id
  for (const { id } of await providerOwnerIds(tx, homeId, ownerRole))
    await linkOrganizations(tx, id, [{ id: newId(), organization }])
}

async function createUnder(db: Db, providerId: string, name: string): Promise<string> {
  const caller = { ...systemCaller(providerId, 'gatehouse'), providerId }
  const row = await createOrganization(db, caller, providerId, { name }, linkOwners)
  return row.id
}

export const verb = {
  list: command({
    about: 'Lists the organizations of all providers.',
    json: true,
    run: ({ json }) =>
      withGround(async ({ db }) => {
        const organizations = await listAll(db)
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
    about: 'Creates an organization, of a provider or standing alone.',
    options: {
      name: { type: 'string', value: 'NAME', about: 'Its name', required: true },
      provider: { type: 'string', value: 'ID', about: 'The provider it belongs to' },
    },
    notes: ['One that stands alone needs an administrator of its own: gatehouse admin create.'],
    json: true,
    run({ options: { name, provider }, json }) {
      if (provider !== undefined && !isId(provider))
        throw new UsageError(`"${provider}" is not an id; gatehouse org list shows them`)
      return withGround(async ({ db }) => {
        const id = await (provider === undefined
          ? createSingle(db, name)
          : createUnder(db, provider, name))
        print(json, { id, name, provider: provider ?? null }, () => [`Created ${name}: ${id}`])
      })
    },
  }),
}
