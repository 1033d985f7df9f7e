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
  /** Of SAML alone. */
  slug: string | null
  /** A path on our own origin; null: there is none, draw the first letters on `color`. */
  logo: string | null
  color: string
  /** A path on our own origin, or an address elsewhere. Null: nobody has said yet where it is. */
  url: string | null
  /** The administrator does not want it shown. */
  hidden: boolean
}

export const logoPath = (logoId: string): string => `/api/v2/logos/${logoId}`

/** OpenID Connect begins at the application: where it says, or else where it is sent back to. */
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
  const rows = await readTileRows(db.tenant(organizationId), organizationId, userId)
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

/** Whether the user is bound to the application, and it is active; the state of the user is for others to look at. */
export const mayUse = (
  tx: Queryable,
  organizationId: string,
  userId: string,
  applicationId: string,
): Promise<boolean> => findBinding(tx, organizationId, userId, applicationId)
