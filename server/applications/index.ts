export type { ApplicationContext, SsoContext } from './context.ts'
export { warnOfExpiry } from './expiry.ts'
export {
  promoteCertificateJob,
  promoteOverdueJob,
  purgeApplicationsJob,
  warnOfExpiryJob,
} from './job-definitions.ts'
export { applicationJobs } from './jobs.ts'
export { logoRoutes } from './logo-routes.ts'
export { findOidcApplication, issuerOf, type OidcApplication } from './oidc-application.ts'
export { oidcSettingsRoutes } from './oidc-routes.ts'
export { plantApplication } from './plant.ts'
export { applicationRoutes } from './routes.ts'
export {
  allCertificates,
  findSsoApplication,
  findSsoApplicationById,
  type MetadataFetch,
  metadataUrl,
  noteMetadataFetched,
  type SsoApplication,
  type SsoCertificate,
} from './sso.ts'
export type { AcsUrl, AuthClaims, NamedValue, SsoConfig } from './sso-config.ts'
export { applicationNames, isInactive, isSignedInTo } from './store.ts'
export { templateRoutes } from './template-routes.ts'
export { applicationsOfUser, mayUse, type Tile } from './tiles.ts'
export { applicationV2Routes, certificateRoutes, spMetadataRoutes } from './v2-routes.ts'
