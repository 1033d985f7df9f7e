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
/** Higher levels take several times as long for little. */
const LEVEL = { level: 3 }
/** Characters of a piece before it is packed. */
const PIECE = 262_144
const ATTEMPTS = makeReportJob.retry.limit + 1

/** Another run is at the report: this one leaves it to it. */
class TakenOver extends Error {}

/** A file that is written piece by piece. */
class Writer {
  readonly id = newId()
  readonly format: ReportFormat
  readonly #run: Run
  readonly #text: ReturnType<(typeof FORMATS)[ReportFormat]>
  #waiting: string
  #position = 0

  constructor(run: Run, format: ReportFormat, columns: readonly string[]) {
    this.format = format
    this.#run = run
    this.#text = FORMATS[format](columns)
    this.#waiting = this.#text.head
  }

  async add(tx: Queryable, rows: readonly Row[]): Promise<void> {
    this.#waiting += this.#text.rows(rows)
    if (this.#waiting.length >= PIECE) await this.#flush(tx)
  }

  async end(tx: Queryable): Promise<void> {
    this.#waiting += this.#text.end
    await this.#flush(tx)
  }

  async #flush(tx: Queryable): Promise<void> {
    const content = await pack(this.#waiting, LEVEL)
    const written = await insertPiece(tx, this.#run, this.id, this.#position, content)
    if (!written) throw new TakenOver()
    this.#waiting = ''
    this.#position++
  }
}

interface Claim {
  type: ReportType
  attempts: number
  writers: Writer[]
}

/** In one transaction, or of two who take over at once each might delete the files of the other. */
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

/** What whoever asked may know. */
const reasonOf = (error: unknown): string =>
  error instanceof AppError
    ? error.message
    : 'The report could not be made; the log of the service tells more'

/** May be run again at any point, or beside another run: the last one to begin is the one that ends. */
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
