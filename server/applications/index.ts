export { getApplicationRow } from './actions.ts'
export { templateOf } from './catalogue.ts'
export type { ApplicationContext } from './context.ts'
export {
  followMetadataJob,
  promoteCertificateJob,
  promoteOverdueJob,
  purgeApplicationsJob,
  warnOfExpiryJob,
} from './job-definitions.ts'
export { applicationJobs } from './jobs.ts'
export { logoRoutes } from './logo-routes.ts'
export {
  findOidcApplication,
  findOidcApplicationById,
  issuerOf,
  type OidcApplication,
} from './oidc/application.ts'
export { oidcSettingsRoutes } from './oidc/routes.ts'
export { applicationRoutes } from './routes.ts'
export { seedApplication } from './seed.ts'
export {
  allCertificates,
  findSsoApplication,
  findSsoApplicationById,
  noteMetadataFetched,
  type SsoApplication,
  type SsoCertificate,
} from './sso.ts'
export type { AcsUrl, AuthClaims, SsoConfig } from './sso-config.ts'
export { applicationNames, findApplication, isInactive, isSignedInTo } from './store.ts'
export { templateRoutes } from './templates/routes.ts'
export type { ProvisioningTemplate } from './templates/schema.ts'
export { applicationsOfUser, logoPath, mayUse } from './tiles.ts'
export { applicationV2Routes, certificateRoutes, spMetadataRoutes } from './v2-routes.ts'
export { LOOPBACK } from './web-address.ts'
