import { createHash } from 'node:crypto'
import { findOrganization, settingsOf } from '../organizations/index.ts'
import { notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { imageTypeOf } from '../platform/image-type.ts'
import type { PortalContext } from './context.ts'

const DATA_URL = /^data:image\/[a-z]+;base64,/

/** The image that the settings of an organization hold as a data URL; clients may have stored other text. */
function imageOf(logo: unknown) {
  if (typeof logo !== 'string' || !DATA_URL.test(logo)) return undefined
  const content = Buffer.from(logo.replace(DATA_URL, ''), 'base64')
  const type = imageTypeOf(content)
  return type && { type, content }
}

/** Changes with the image, so that browsers may keep it. */
export function organizationLogo(organizationId: string, logo: unknown): string | null {
  const image = imageOf(logo)
  if (!image) return null
  const version = createHash('sha256').update(image.content).digest('hex').slice(0, 12)
  return `/auth/users/organizations/${organizationId}/logo?v=${version}`
}

/** Public: sign-in pages show it. */
export async function readLogo({ db }: PortalContext, organizationId: string) {
  const row = isId(organizationId) ? await findOrganization(db, organizationId) : undefined
  const image = row && imageOf(settingsOf(row).logo)
  if (!image) throw notFound('logo_not_found', 'There is no such logo')
  return image
}
