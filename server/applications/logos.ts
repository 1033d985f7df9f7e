import type { Caller } from '../platform/caller.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { isId, newId } from '../platform/ids.ts'
import { lockedApplication, saveChange } from './actions.ts'
import type { ApplicationContext } from './context.ts'
import { deleteLogos, findLogo, insertLogo, type LogoRow } from './logo-store.ts'

/** Detected by magic bytes: the content type of the client is untrusted, but browsers trust ours. */
const KINDS = [
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['image/gif', Buffer.from('GIF87a')],
  ['image/gif', Buffer.from('GIF89a')],
] as const

type LogoType = (typeof KINDS)[number][0]

function typeOfImage(content: Buffer): LogoType {
  const kind = KINDS.find(([, start]) => content.subarray(0, start.length).equals(start))
  if (!kind) throw invalid('bad_image', 'image: must be a PNG, JPEG or GIF')
  return kind[0]
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
