import type { OidcApplication } from '../applications/index.ts'
import type { UserSession } from '../portal/index.ts'
import { opaque } from '../signon/index.ts'

/** The `sid` claim: a different one for each application, so that applications cannot correlate sessions. */
export const sessionIdFor = (
  { id }: Pick<OidcApplication, 'id'>,
  { index }: Pick<UserSession, 'index'>,
): string => opaque('sid', index, id)
