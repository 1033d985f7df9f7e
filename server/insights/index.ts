export { type Change, changesBetween, fold } from './document.ts'
export { createPartitionsJob, ensurePartitions, insightsJobs } from './jobs.ts'
export { type Actor, type EventInput, observeEvents, recordEvent } from './record.ts'
export { createPartitions, insertPastEvents, latestEvents, type PastEvent } from './store.ts'
