import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { recordReportEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Db } from '../platform/db/index.ts'
import { invalid, notFound, throttled } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { offset } from '../platform/list/values.ts'
import { CONTENT_TYPES, fileName } from './artifact.ts'
import type { ReportContext } from './context.ts'
import { makeReportJob } from './job-definitions.ts'
import type { Report } from './schema.ts'
import {
  countUnfinished,
  findArtifact,
  findPiece,
  insertReport,
  type ReportRow,
  type ReportSort,
  listReports as readReports,
  SORTS,
} from './store.ts'
import { checkMayRead, readReportType } from './types.ts'

const unpack = promisify(gunzip)
/** Retention of report files. */
const KEPT_MS = 30 * 86_400_000

const toReport = ({ error_message, ...row }: ReportRow): Report => ({
  ...row,
  parameters: [],
  ...(error_message !== null && { error_message }),
})

/** As in the published API, the plain name sorts descending and a leading minus ascending. */
function readSort(raw = 'CREATED_AT'): { sort: ReportSort; descending: boolean } {
  const name = raw.replace(/^-/, '').toUpperCase()
  if (!Object.hasOwn(SORTS, name)) {
    const allowed = Object.keys(SORTS).join(', ')
    throw invalid('bad_sort', `sort: must be one of ${allowed}, with a leading - to sort ascending`)
  }
  return { sort: name as ReportSort, descending: !raw.startsWith('-') }
}

export async function listReports(
  db: Db,
  { organizationId }: Caller,
  { sort, limit, skip }: { sort?: string; limit: number; skip: number },
): Promise<Report[]> {
  const list = { ...readSort(sort), limit, skip: offset(skip) }
  const rows = await readReports(db.tenant(organizationId), organizationId, list)
  return rows.map(toReport)
}

/** The report, its event and its job commit together. */
export async function requestReport(
  { db, limits, send }: ReportContext,
  caller: Caller,
  name: string,
  now: number,
): Promise<Report> {
  const type = readReportType(name)
  checkMayRead(caller, type)
  const { organizationId } = caller
  const row = await db.tx(organizationId, async (tx) => {
    // Each of them reads everybody.
    if ((await countUnfinished(tx, organizationId)) >= limits.tenant.reports) {
      throw throttled('too_many_reports', 'Too many reports are being made; try again shortly', {
        retryAfter: 10,
      })
    }
    const report = await insertReport(tx, organizationId, {
      id: newId(now),
      type,
      requester_id: caller.id,
      requester_email: caller.initiator.email ?? '',
      expiration: new Date(now + KEPT_MS).toISOString(),
    })
    const event = { event_type: 'report_run', resource: { id: report.id, name: type } } as const
    await recordReportEvent(tx, caller, event)
    await send(tx, makeReportJob, { organizationId, reportId: report.id })
    return report
  })
  return toReport(row)
}

/** Reads a piece once the reader has consumed the previous one; no connection is held in between. */
async function* piecesOf(
  db: Db,
  organizationId: string,
  reportId: string,
  artifactId: string,
  pieces: number,
  check: () => Promise<void>,
): AsyncGenerator<string> {
  const tenant = db.tenant(organizationId)
  for (let position = 0; position < pieces; position++) {
    await check()
    const piece = await findPiece(tenant, organizationId, reportId, artifactId, position)
    // The head of the response is sent: all that is left is to cut the connection.
    if (!piece) throw new Error('The artifact has expired')
    yield String(await unpack(piece.content))
  }
}

interface ArtifactFile {
  type: string
  name: string
  text: AsyncGenerator<string>
}

/** Opens the file and audits the download. `check` runs before each piece. */
export function openArtifact(
  db: Db,
  caller: Caller,
  reportId: string,
  artifactId: string,
  check: () => Promise<void>,
): Promise<ArtifactFile> {
  const { organizationId } = caller
  return db.tx(organizationId, async (tx) => {
    const found = await findArtifact(tx, organizationId, reportId, artifactId)
    if (!found) throw notFound('artifact_not_found', 'report artifact not found')
    const { type, format, pieces, created_at } = found
    checkMayRead(caller, type)
    const configuration = { artifact_id: artifactId, format }
    const resource = { id: reportId, name: type, configuration }
    await recordReportEvent(tx, caller, { event_type: 'report_export', resource })
    return {
      type: CONTENT_TYPES[format],
      name: fileName(type, created_at, format),
      text: piecesOf(db, organizationId, reportId, artifactId, pieces, check),
    }
  })
}
