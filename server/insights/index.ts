export type { InsightsContext } from './context.ts'
export { type Change, changesBetween, fold } from './document.ts'
export { exportRoutes } from './export/routes.ts'
export { ingestRoutes } from './ingest/routes.ts'
export {
  createPartitionsJob,
  dropExpiredJob,
  ensurePartitions,
  insightsJobs,
  sealEventsJob,
} from './jobs.ts'
export { Deadline } from './query/deadline.ts'
export { readEventQuery, readSelection, type Selection } from './query/event-query.ts'
export { readStep } from './query/intervals.ts'
export { findEvents, findPresent, firstEventAfter, readAt } from './query/lookup.ts'
export { readBetween } from './query/page.ts'
export { countPerStep, distinctValues } from './query/sums.ts'
export { GeoIpDatabase } from './record/geoip.ts'
export type { OwnEvent } from './record/own-event.ts'
export { type Actor, type EventInput, recordEvent, recordEvents } from './record/record.ts'
export { recordReportEvent } from './record/record-reports.ts'
export { recordSsoEvent } from './record/record-sso.ts'
export { recordSystemsEvent } from './record/record-systems.ts'
export { describeDevice } from './record/useragent.ts'
export { retentionDays, retentionDaysIn } from './retention/retention.ts'
export { retentionRoutes } from './retention/routes.ts'
export { insightsRoutes } from './routes.ts'
export { savedSearchRoutes } from './saved-searches/routes.ts'
export { leaveSavedSearches } from './saved-searches/store.ts'
export { sealEvents } from './segments/seal.ts'
export { SERVICES } from './services.ts'
export { createPartitions, insertPastEvents, latestEvents, type PastEvent } from './store.ts'
export { streamRoutes } from './stream/routes.ts'
export { readWatermark } from './stream/store.ts'
