import { applicationsOfUser, findApplication, logoPath, mayUse } from '../applications/index.ts'
import { notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import type { UserRow } from '../users/index.ts'
import type { PortalContext } from './context.ts'
import { organizationLogo } from './logo.ts'
import type { ApplicationTile, Destination, TileUse } from './schema.ts'
import { portalSettings } from './settings.ts'
import { readUses, saveUse } from './tile-store.ts'

export async function tilesOf(
  { db }: PortalContext,
  { organization_id, id }: UserRow,
): Promise<ApplicationTile[]> {
  const [tiles, uses] = await Promise.all([
    applicationsOfUser(db, organization_id, id),
    readUses(db.tenant(organization_id), organization_id, id),
  ])
  const useOf = new Map(uses.map((use) => [use.application_id, use]))
  return tiles.flatMap(({ id, name, displayLabel, displayName, logo, color, url, hidden }) =>
    hidden || url === null
      ? []
      : {
          id,
          name,
          displayLabel: displayLabel || displayName || name,
          logo,
          color: color || null,
          url,
          favourite: useOf.get(id)?.favourite ?? false,
          openedAt: useOf.get(id)?.opened_at ?? null,
        },
  )
}

export async function noteUse(
  { db }: PortalContext,
  { organization_id, id }: UserRow,
  applicationId: string,
  { favourite, opened = false }: TileUse,
): Promise<void> {
  const tenant = db.tenant(organization_id)
  const may = isId(applicationId) && (await mayUse(tenant, organization_id, id, applicationId))
  if (!may) throw notFound('application_not_found', 'application not found')
  await saveUse(tenant, organization_id, id, applicationId, {
    favourite: favourite ?? null,
    opened,
  })
}

/** What a user signs in for, so that the page can say it. Nothing, unless the path leads to an application. */
export async function describeDestination(
  { db, destinationOf }: PortalContext,
  continueTo: string,
): Promise<Destination> {
  const found = await destinationOf(continueTo)
  const row =
    found &&
    (await findApplication(db.tenant(found.organizationId), found.organizationId, found.id))
  if (!row?.active) return { application: null, organization: null }
  const { organizationName, logo } = await portalSettings(db, row.organization_id)
  return {
    application: {
      name: row.name,
      displayLabel: row.display_label || row.display_name || row.name,
      logo: row.logo_id && logoPath(row.logo_id),
      color: row.color || null,
    },
    organization: { name: organizationName, logo: organizationLogo(row.organization_id, logo) },
  }
}
