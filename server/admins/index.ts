export { linkNewOrganization } from './actions.ts'
export { CredentialCache, createAuthenticate } from './authenticate.ts'
export type { AdminContext } from './context.ts'
export {
  type Credentials,
  createFirstAdministrator,
  plantAdministrator,
} from './first-administrator.ts'
export { adminJobs, deleteExpiredJob } from './jobs.ts'
export { oauthRoutes } from './oauth-routes.ts'
export { providerAdministratorRoutes } from './provider-routes.ts'
export { roleRoutes } from './role-routes.ts'
export { administratorRoutes } from './routes.ts'
export { sessionRoutes } from './session-routes.ts'
