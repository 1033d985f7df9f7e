export { linkNewOrganization } from './actions.ts'
export { createAuthenticate, resolveRoles } from './authenticate.ts'
export type { AdminContext } from './context.ts'
export { CredentialCache } from './credential-cache.ts'
export {
  type Credentials,
  createFirstAdministrator,
  createSetupToken,
  seedAdministrator,
} from './first-administrator.ts'
export { adminJobDefinitions } from './job-definitions.ts'
export { adminJobs } from './jobs.ts'
export { checkRightsLeft, keepRights, presentRights } from './kept-rights.ts'
export { oauthRoutes } from './oauth-routes.ts'
export {
  resetKeyAsOperator,
  resetPasswordAsOperator,
  resetTotpAsOperator,
  setSuspendedAsOperator,
} from './operator-actions.ts'
export { renewAdministratorLink } from './password-links.ts'
export { checkPassword, hashPassword } from './passwords.ts'
export { providerAdministratorRoutes } from './provider-routes.ts'
export { administratorsWith } from './recipients.ts'
export { roleRoutes } from './role-routes.ts'
export { BUILT_IN_ROLES, builtInRole, SYSTEM_SCOPES } from './roles.ts'
export { administratorRoutes } from './routes.ts'
export { sessionRoutes } from './session-routes.ts'
export { listAllAdministrators, organizationIdsOfProvider } from './store.ts'
