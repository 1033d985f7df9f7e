export { row as csvRow } from '../platform/csv.ts'
export { type Change, changesBetween, fold } from './document.ts'
export { readEventQuery, readSelection, type Selection } from './event-query.ts'
export { exportRoutes } from './export-routes.ts'
export { GeoIpDatabase, useGeoIp } from './geoip.ts'
export { ingestRoutes } from './ingest-routes.ts'
export {
  createPartitionsJob,
  dropExpiredJob,
  ensurePartitions,
  insightsJobs,
  makeDigestsJob,
} from './jobs.ts'
export { findEvents, firstEventAfter } from './lookup-store.ts'
export { makeDigests } from './make-digests.ts'
export { type OwnEvent, observeEvents } from './own-event.ts'
export { type Actor, type EventInput, recordEvent } from './record.ts'
export { recordReportEvent } from './record-reports.ts'
export { recordSsoEvent } from './record-sso.ts'
export { recordSystemsEvent } from './record-systems.ts'
export { retentionDays, retentionDaysIn } from './retention.ts'
export { retentionRoutes } from './retention-routes.ts'
export { insightsRoutes } from './routes.ts'
export { savedSearchRoutes } from './saved-search-routes.ts'
export { searchCondition } from './search-sql.ts'
export { SERVICES } from './services.ts'
export { createPartitions, insertPastEvents, latestEvents, type PastEvent } from './store.ts'
export { streamRoutes } from './stream-routes.ts'
export { readBetween, readWatermark } from './stream-store.ts'
export { parseUserAgent } from './useragent.ts'
