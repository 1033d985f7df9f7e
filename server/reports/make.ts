import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip, type ZlibOptions } from 'node:zlib'
import type { Db, Queryable } from '../platform/db/index.ts'
import { AppError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { FORMATS } from './artifact.ts'
import type { Row } from './content.ts'
import { CONTENTS } from './contents.ts'
import type { ReportContext } from './context.ts'
import { makeReportJob } from './job-definitions.ts'
import {
  claimReport,
  completeReport,
  deleteOtherRuns,
  failReport,
  insertArtifact,
  insertPiece,
  type Run,
} from './run-store.ts'
import type { ReportFormat } from './schema.ts'
import type { ReportType } from './types.ts'

const pack = promisify<string, ZlibOptions, Buffer>(gzip)
/** Higher levels take several times as long for little gain. */
const LEVEL = { level: 3 }
/** Characters of a piece before compression. */
const PIECE = 262_144
const ATTEMPTS = makeReportJob.retry.limit + 1

/** Another run has claimed the report, so this one stops. */
class TakenOver extends Error {}

/** Writes a file in compressed pieces. */
class Writer {
  readonly id = newId()
  readonly format: ReportFormat
  readonly #run: Run
  readonly #text: ReturnType<(typeof FORMATS)[ReportFormat]>
  #buffer: string
  #position = 0

  constructor(run: Run, format: ReportFormat, columns: readonly string[]) {
    this.format = format
    this.#run = run
    this.#text = FORMATS[format](columns)
    this.#buffer = this.#text.head
  }

  async add(tx: Queryable, rows: readonly Row[]): Promise<void> {
    this.#buffer += this.#text.rows(rows)
    if (this.#buffer.length >= PIECE) await this.#flush(tx)
  }

  async end(tx: Queryable): Promise<void> {
    this.#buffer += this.#text.end
    await this.#flush(tx)
  }

  async #flush(tx: Queryable): Promise<void> {
    const content = await pack(this.#buffer, LEVEL)
    const written = await insertPiece(tx, this.#run, this.id, this.#position, content)
    if (!written) throw new TakenOver()
    this.#buffer = ''
    this.#position++
  }
}

interface Claim {
  type: ReportType
  attempts: number
  writers: Writer[]
}

/** One transaction, or two concurrent claims could delete each other's files. */
const claim = (db: Db, run: Run): Promise<Claim | undefined> =>
  db.tx(run.organizationId, async (tx) => {
    const claimed = await claimReport(tx, run)
    if (!claimed) return undefined
    const { columns } = CONTENTS[claimed.type]
    const writers = (['CSV', 'JSON'] as const).map((format) => new Writer(run, format, columns))
    await deleteOtherRuns(tx, run)
    for (const { id, format } of writers) await insertArtifact(tx, run, id, format)
    return { ...claimed, writers }
  })

async function write(context: ReportContext, run: Run, { type, writers }: Claim): Promise<void> {
  const { organizationId } = run
  await CONTENTS[type].walk(context, organizationId, async (tx, rows) => {
    for (const writer of writers) await writer.add(tx, rows)
  })
  await context.db.tx(organizationId, async (tx) => {
    for (const writer of writers) await writer.end(tx)
    if (!(await completeReport(tx, run))) throw new TakenOver()
  })
}

/** The error message shown to the requester. */
const reasonOf = (error: unknown): string =>
  error instanceof AppError
    ? error.message
    : 'The report could not be generated; see the service log for details'

/** Safe to retry and to run concurrently: the last run to start is the one that completes. */
export async function makeReport(
  context: ReportContext,
  organizationId: string,
  reportId: string,
): Promise<void> {
  const { db } = context
  const run: Run = { organizationId, reportId, runId: randomUUID() }
  const claimed = await claim(db, run)
  if (!claimed) return
  try {
    await write(context, run, claimed)
  } catch (error) {
    if (error instanceof TakenOver) return
    if (claimed.attempts >= ATTEMPTS)
      await db.tx(organizationId, (tx) => failReport(tx, run, reasonOf(error)))
    throw error
  }
}
