import { recordEvent } from '../insights/index.ts'
import { getOrganization } from '../organizations/index.ts'
import type { Caller } from '../platform/caller.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type Paging, readCountedPage } from '../platform/list/page.ts'
import { getAdministrator } from './actions.ts'
import { checkEnds, checkMayChange } from './bounds.ts'
import { type AdminContext, change } from './context.ts'
import { resourceOf } from './records.ts'
import type { OrganizationLink } from './schema.ts'
import {
  deleteLink,
  type LinkRow,
  linkOrganizations,
  listLinksOfAdministrator,
  listLinksOfOrganization,
} from './store.ts'

const toLink = (row: LinkRow): OrganizationLink => ({
  id: row.id,
  administrator: row.administrator_id,
  organization: row.organization,
})

/** Limited to the organizations that the caller can access. */
export async function linksOfAdministrator(
  context: AdminContext,
  caller: Caller,
  id: string,
  paging: Paging,
) {
  await getAdministrator(context, caller, id)
  const { totalCount, results } = await readCountedPage(
    (limit, skip) => listLinksOfAdministrator(context.db, id, caller.organizationIds, limit, skip),
    paging,
  )
  return { totalCount, links: results.map(toLink) }
}

export async function linksOfOrganization(context: AdminContext, caller: Caller, paging: Paging) {
  const { totalCount, results } = await readCountedPage(
    (limit, skip) => listLinksOfOrganization(context.db, caller.organizationId, limit, skip),
    paging,
  )
  return { totalCount, links: results.map(toLink) }
}

export async function linkAdministrator(
  context: AdminContext,
  caller: Caller,
  id: string,
  organizationId: string,
): Promise<OrganizationLink> {
  const { row } = await getAdministrator(context, caller, id)
  const organization = await getOrganization(context.db, organizationId)
  // Only within one provider, and only to organizations that the caller can access.
  if (
    row.provider === null ||
    organization.provider !== row.provider ||
    !caller.organizationIds.has(organizationId)
  ) {
    throw notFound('organization_not_found', 'organization not found')
  }
  const link = { id: newId(), organization: organizationId }
  checkEnds(caller, null, 'a link to an organization')
  await change(context, caller.homeId, async (tx) => {
    await checkMayChange(tx, caller, row)
    if ((await linkOrganizations(tx, id, [link])) === 0)
      throw conflict('link_exists', 'Already Exists')
    await recordEvent(tx, caller, {
      event_type: 'admin_update',
      organization: organizationId,
      resource: resourceOf(row),
      changes: [{ field: 'organizations', to: organizationId }],
    })
  })
  return { id: link.id, administrator: id, organization: organizationId }
}

export async function unlinkAdministrator(
  context: AdminContext,
  caller: Caller,
  id: string,
  linkId: string,
): Promise<void> {
  const { row } = await getAdministrator(context, caller, id)
  await change(context, caller.homeId, async (tx) => {
    await checkMayChange(tx, caller, row)
    const link = await deleteLink(tx, id, linkId)
    if (!link) throw notFound('link_not_found', 'link not found')
    await recordEvent(tx, caller, {
      event_type: 'admin_update',
      organization: link.organization,
      resource: resourceOf(row),
      changes: [{ field: 'organizations', from: link.organization }],
    })
  })
}
