import { adminJobDefinitions, adminJobs } from './admins/index.ts'
import {
  applicationJobs,
  followMetadataJob,
  promoteCertificateJob,
  promoteOverdueJob,
  purgeApplicationsJob,
  warnOfExpiryJob,
} from './applications/index.ts'
import { commandJobs, runScheduledJob, tidyCommandsJob } from './commands/index.ts'
import type { Contexts } from './contexts.ts'
import { dropArrivalsJob, forwardingJobs } from './forwarding/index.ts'
import { addUpMembersJob, forgetHistoryJob, graphJobs } from './graph/index.ts'
import {
  evaluateAllGroupsJob,
  evaluateGroupJob,
  groupJobs,
  mailSuggestionsJob,
  purgeGroupsJob,
} from './groups/index.ts'
import { importJobs, runImportJob, runScheduledImportJob, tidyImportsJob } from './imports/index.ts'
import {
  createPartitionsJob,
  dropExpiredJob,
  insightsJobs,
  recordEvent,
  sealEventsJob,
} from './insights/index.ts'
import { backChannelLogoutJob, oidcJobs, tidyOidcJob } from './oidc/index.ts'
import { eraseOrganizationsJob, organizationJobs } from './organizations/index.ts'
import { systemCaller } from './platform/caller.ts'
import type { Db } from './platform/db/index.ts'
import { handle, type JobDefinition } from './platform/jobs/definition.ts'
import { type RecordFailure, watchJobs, watchJobsJob } from './platform/jobs/failures.ts'
import type { Logger } from './platform/log.ts'
import { sendMailJob } from './platform/mail.ts'
import { portalJobDefinitions, portalJobs } from './portal/index.ts'
import { makeReportJob, reportJobs, tidyReportsJob } from './reports/index.ts'
import { soapLogoutJob, ssoJobs, tidySsoJob } from './sso/index.ts'
import { purgeSystemsJob, systemJobs } from './systems/index.ts'
import { userJobDefinitions, userJobs } from './users/index.ts'

/** Every job of every slice; each must have a handler below. */
export const jobDefinitions: JobDefinition[] = [
  createPartitionsJob,
  dropExpiredJob,
  ...adminJobDefinitions,
  dropArrivalsJob,
  sealEventsJob,
  eraseOrganizationsJob,
  sendMailJob,
  ...userJobDefinitions,
  addUpMembersJob,
  forgetHistoryJob,
  evaluateAllGroupsJob,
  evaluateGroupJob,
  mailSuggestionsJob,
  purgeGroupsJob,
  purgeSystemsJob,
  runScheduledJob,
  tidyCommandsJob,
  makeReportJob,
  tidyReportsJob,
  ...portalJobDefinitions,
  promoteCertificateJob,
  promoteOverdueJob,
  warnOfExpiryJob,
  followMetadataJob,
  purgeApplicationsJob,
  tidySsoJob,
  soapLogoutJob,
  tidyOidcJob,
  backChannelLogoutJob,
  runImportJob,
  runScheduledImportJob,
  tidyImportsJob,
  watchJobsJob,
] as unknown as JobDefinition[]

/** Records an event for administrators; the reason is available on the command line. */
const recordFailure: RecordFailure = async (tx, { queue, organization, jobs }) => {
  const [id] = jobs as [string]
  await recordEvent(tx, systemCaller(organization, 'job queue'), {
    event_type: 'job_failed',
    resource: { type: 'job', id, name: queue },
    success: false,
    error_message: `${jobs.length === 1 ? 'A job' : `${jobs.length} jobs`} of ${queue} failed`,
  })
}

/** The job handlers of all slices. */
export const jobsOf = (db: Db, contexts: Contexts, log: Logger) => [
  ...insightsJobs(db, log),
  ...organizationJobs(db),
  ...adminJobs(contexts.admins),
  ...systemJobs(db),
  ...commandJobs(contexts.commands),
  ...reportJobs(contexts.reports),
  ...forwardingJobs(db),
  ...userJobs(contexts.users),
  ...portalJobs(contexts.portal),
  ...ssoJobs(contexts.sso),
  ...oidcJobs(contexts.oidc),
  ...groupJobs(contexts.groups),
  ...applicationJobs(contexts.applications),
  ...graphJobs(db),
  ...importJobs(contexts.imports),
  handle(watchJobsJob, () => watchJobs(db, recordFailure)),
]
