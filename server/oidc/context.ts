import type { SsoSliceContext } from '../sso/index.ts'

/** What the actions of this slice work with: what single sign-on works with. */
export type OidcContext = SsoSliceContext
