import type { Caller } from '../platform/caller.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { isId, newId } from '../platform/ids.ts'
import { imageTypeOf } from '../platform/image-type.ts'
import { lockedApplication, saveChange } from './actions.ts'
import type { ApplicationContext } from './context.ts'
import { deleteLogos, findLogo, insertLogo, type LogoRow } from './logo-store.ts'

function typeOfImage(content: Buffer) {
  const type = imageTypeOf(content)
  if (!type) throw invalid('bad_image', 'image: must be a PNG, JPEG or GIF')
  return type
}

/** Stores the logo under a new id, so that browsers may cache it forever. */
export function replaceLogo(
  context: ApplicationContext,
  caller: Caller,
  id: string,
  content: Buffer | null,
): Promise<void> {
  const { organizationId } = caller
  const contentType = content && typeOfImage(content)
  return context.db.tx(organizationId, async (tx) => {
    const before = await lockedApplication(tx, organizationId, id)
    await deleteLogos(tx, organizationId, id)
    const logoId = contentType && newId()
    if (logoId && contentType)
      await insertLogo(tx, organizationId, id, { id: logoId, content_type: contentType, content })
    await saveChange(context, tx, caller, before, { ...before, logo_id: logoId })
  })
}

/** Of any tenant: the portal shows logos to users who are not signed in. */
export async function getLogo(
  { db }: Pick<ApplicationContext, 'db'>,
  id: string,
): Promise<LogoRow> {
  const found = isId(id) ? await findLogo(db, id) : undefined
  if (!found) throw notFound('logo_not_found', 'Not Found: there is no such logo')
  return found
}
