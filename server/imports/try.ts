import type { Caller } from '../platform/caller.ts'
import { AppError } from '../platform/errors.ts'
import { compileMapping, previewPace } from '../platform/mapping/index.ts'
import { getSource, sourceKey } from './application.ts'
import type { ImportContext } from './context.ts'
import { checkTargets, reader } from './incoming.ts'
import { type JobInput, rulesOf } from './job.ts'
import { openSourceOf } from './open-source.ts'
import { planChunk } from './plan-chunk.ts'
import { firstRecords, forCaller } from './read.ts'
import { checkGroups } from './rights.ts'
import {
  type ImportPreview,
  type ImportPreviewRequest,
  type ImportTest,
  OPERATIONS,
} from './schema.ts'
import { SourceFailure } from './sources/failures.ts'
import type { SourceRecord } from './sources/source.ts'
import { checkQuery } from './start.ts'

const DEFAULT_PREVIEW = 10
const MAX_MEMBERS = 200

function* pathsOf(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    if (path !== '') yield path
    return
  }
  if (Array.isArray(value)) {
    if (value.length > 0) yield* pathsOf(value[0], `${path}[0]`)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const plain = /^[^.[\]"]+$/.test(name)
    const step = plain ? (path === '' ? name : `.${name}`) : `[${JSON.stringify(name)}]`
    yield* pathsOf(member, `${path}${step}`)
  }
}

/** Reads the first page, and says what is in it. */
export async function testSource(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
): Promise<ImportTest> {
  const row = await getSource(context, sourceKey(caller, applicationId))
  const started = Date.now()
  const answer = (ok: boolean, message: string, records: SourceRecord[] = []): ImportTest => {
    const members = new Set<string>()
    for (const one of records)
      if ('record' in one)
        for (const path of pathsOf(one.record, '')) {
          if (members.size === MAX_MEMBERS) break
          members.add(path)
        }
    return {
      ok,
      message,
      ms: Date.now() - started,
      records: records.length,
      members: [...members],
    }
  }
  try {
    const records = await firstRecords(await openSourceOf(context, row), DEFAULT_PREVIEW)
    const problem = records.find((one) => 'problem' in one)
    if (problem && 'problem' in problem) return answer(false, problem.problem, records)
    return records.length === 0
      ? answer(true, 'The source answers, but has no records')
      : answer(true, 'The source answers', records)
  } catch (error) {
    if (!(error instanceof SourceFailure) && !(error instanceof AppError)) throw error
    return answer(false, error.message)
  }
}

const EVERYTHING: Omit<JobInput, 'applicationId'> = {
  operations: [...OPERATIONS],
  allowUserReactivation: true,
  queryString: '',
  state: null,
  dryRun: true,
}

/** The rules of a job that may do everything, to show what the source would change. */
export const previewBatch = (organizationId: string, applicationId: string) => ({
  organization_id: organizationId,
  input: { ...EVERYTHING, applicationId },
})

/** What a mapping makes of live records, rule by rule. The mapping need not be saved. */
export async function previewMapping(
  context: ImportContext,
  caller: Caller,
  applicationId: string,
  body: ImportPreviewRequest,
): Promise<ImportPreview> {
  const row = await getSource(context, sourceKey(caller, applicationId))
  const mapping = body.mapping ?? row.settings.mapping
  const compiled = compileMapping(mapping)
  checkTargets(mapping)
  checkGroups(caller, mapping)
  const query = body.queryString ?? ''
  checkQuery(row, query)
  const source = await openSourceOf(context, row)
  const limit = body.limit ?? DEFAULT_PREVIEW
  const records = await forCaller(() => firstRecords(source, limit, query))
  const batch = previewBatch(caller.organizationId, applicationId)
  const rules = rulesOf(batch, { ...row.settings, mapping })
  const pace = previewPace()
  const rows = await planChunk(context, batch, reader(mapping), rules, records, pace)
  const shown: ImportPreview = []
  for (const [at, { plan, externalId, write, state, manager, groups }] of rows.entries()) {
    const one = records[at]!
    const record = 'record' in one ? one.record : {}
    const { action, userId, changes, reason = null, message = null } = plan
    shown.push({
      record,
      rules: compiled.preview(record, { groups: [] }),
      externalId,
      user: {
        ...write,
        ...(state && { state }),
        ...(manager !== null && { manager }),
        ...(groups.length > 0 && { groups }),
      },
      action,
      userId,
      changes,
      reason,
      message,
    })
    await pace.breathe()
  }
  return shown
}
