export type { OidcContext } from './context.ts'
export { recordDeniedClientSignIn } from './denied-sign-in.ts'
export { oidcJobs, tidyOidcJob } from './jobs.ts'
export { oidcRoutes } from './routes.ts'
