import { recordReportEvent } from '../insights/index.ts'
import { forEachOrganization } from '../organizations/index.ts'
import { systemCaller } from '../platform/caller.ts'
import { handle, type Job } from '../platform/jobs/definition.ts'
import type { ReportContext } from './context.ts'
import { makeReportJob, tidyReportsJob } from './job-definitions.ts'
import { makeReport } from './make.ts'
import { expiredReports, expireReport, failForgotten, purgeReports } from './run-store.ts'

const DAY = 86_400_000
/** How long a report is listed; its files are deleted earlier. */
const LISTED_DAYS = 90
const LOST_MS = DAY
const LOST = 'The report was not generated in time; request it again'

/** One transaction per report, because files may be large. */
export async function tidyReports({ db }: ReportContext, now: Date): Promise<void> {
  await forEachOrganization(db, async (organizationId) => {
    await db.tx(organizationId, async (tx) => {
      await failForgotten(tx, organizationId, new Date(now.getTime() - LOST_MS), LOST)
      await purgeReports(tx, organizationId, new Date(now.getTime() - LISTED_DAYS * DAY))
    })
    const expired = await expiredReports(db.tenant(organizationId), organizationId, now)
    for (const { id, type } of expired) {
      await db.tx(organizationId, async (tx) => {
        if (!(await expireReport(tx, organizationId, id))) return
        const event = { event_type: 'report_delete', resource: { id, name: type } } as const
        await recordReportEvent(tx, systemCaller(organizationId, 'report expiry'), event)
      })
    }
  })
}

export const reportJobs = (context: ReportContext): Job[] => [
  handle(makeReportJob, ({ organizationId, reportId }) =>
    makeReport(context, organizationId, reportId),
  ),
  handle(tidyReportsJob, () => tidyReports(context, new Date())),
]
