export type { ReportContext } from './context.ts'
export { makeReportJob, tidyReportsJob } from './job-definitions.ts'
export { reportJobs } from './jobs.ts'
export { reportRoutes } from './routes.ts'
