export type { OidcContext } from './context.ts'
export { oidcJobs, tidyOidcJob } from './jobs.ts'
export { recordKeptOutOfClient } from './kept-out.ts'
export { oidcRoutes } from './routes.ts'
