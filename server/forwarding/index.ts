export type { ForwardingContext } from './context.ts'
export { dropArrivalsJob, forwardingJobs } from './jobs.ts'
export { forwarderRoutes } from './routes.ts'
export { ForwardingWorker } from './worker.ts'
