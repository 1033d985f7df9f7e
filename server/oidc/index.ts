export { oidcJobs, tidyOidcJob } from './jobs.ts'
export { oidcRoutes } from './routes.ts'
