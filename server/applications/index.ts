export type { ApplicationContext, SsoContext } from './context.ts'
export {
  findSsoApplication,
  findSsoApplicationById,
  type MetadataFetch,
  metadataUrl,
  noteMetadataFetched,
  type SsoApplication,
  type SsoCertificate,
} from './sso.ts'
export type { AcsUrl, AuthClaims, NamedValue, SsoConfig } from './sso-config.ts'
export { applicationsOfUser, mayUse, type Tile } from './tiles.ts'
