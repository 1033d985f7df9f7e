import { reachableIds } from '../graph/index.ts'
import type { Db, Queryable } from '../platform/db/index.ts'
import { templateOf, valuesOf } from './catalogue.ts'
import { hasPlaceholder } from './sso-config.ts'
import { findBinding, readTileRows, type TileRow } from './sso-store.ts'

/** An application as the portal shows it. */
interface Tile {
  id: string
  /** The template. */
  name: string
  displayName: string
  displayLabel: string
  /** SAML only. */
  slug: string | null
  /** A path on our own origin; null: show the initials on `color`. */
  logo: string | null
  color: string
  /** A path on our own origin, or an external URL. Null: not configured yet. */
  url: string | null
  /** Hidden by the administrator. */
  hidden: boolean
}

export const logoPath = (logoId: string): string => `/api/v2/logos/${logoId}`

/** OpenID Connect starts at the application: at its ssoUrl, otherwise at the origin of its redirect URI. */
const oidcUrlOf = ({ oidc_sso_url, redirect_uri }: TileRow): string | null =>
  oidc_sso_url || (redirect_uri && new URL(redirect_uri).origin)

function urlOf(row: TileRow): string | null {
  const { type } = templateOf(row.name).sso
  if (type === 'oidc') return oidcUrlOf(row)
  if (type === 'bookmark') return row.sso_url
  const { idpInitUrl = '' } = valuesOf(templateOf(row.name), row.config) as { idpInitUrl?: string }
  return idpInitUrl === '' || hasPlaceholder(idpInitUrl) ? `/saml2/${row.slug}` : idpInitUrl
}

/** Active applications that the user is bound to, directly or through groups. */
export async function applicationsOfUser(
  db: Db,
  organizationId: string,
  userId: string,
): Promise<Tile[]> {
  const tenant = db.tenant(organizationId)
  const user = { type: 'user', id: userId } as const
  const ids = await reachableIds(tenant, organizationId, user, 'application')
  const rows = await readTileRows(tenant, organizationId, ids)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    displayLabel: row.display_label,
    slug: row.slug,
    logo: row.logo_id && logoPath(row.logo_id),
    color: row.color,
    url: urlOf(row),
    hidden: row.hidden,
  }))
}

/** Whether the user is bound to the application, and it is active. Callers check the state of the user. */
export const mayUse = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  applicationId: string,
): Promise<boolean> => findBinding(tx, organizationId, userId, applicationId)
