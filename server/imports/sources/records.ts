import { CsvRecords } from './csv.ts'
import { listIn, readDocument, toRecord } from './json.ts'
import { JsonLines } from './json-lines.ts'
import type { Delimiter, Format } from './settings.ts'
import { MAX_BATCH, type SourceRecord } from './source.ts'

/** Characters of text after which records are handed over although there are few. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024

interface Content {
  format: Format
  recordPath: string | null
  delimiter: Delimiter | null
}

interface Document {
  /** Whether the list must be there. */
  firstPage: boolean
  /** Gets a JSON document before its records, since it may name the next page. */
  onDocument?: (document: unknown) => void
}

export function* batchesOf(records: SourceRecord[]): Generator<SourceRecord[]> {
  for (let at = 0; at < records.length; at += MAX_BATCH) yield records.slice(at, at + MAX_BATCH)
}

async function* parse(
  text: AsyncIterable<string>,
  parser: JsonLines | CsvRecords,
): AsyncGenerator<SourceRecord[]> {
  let waiting: SourceRecord[] = []
  let length = 0
  for await (const piece of text) {
    waiting = waiting.concat(parser.push(piece))
    length += piece.length
    if (waiting.length < MAX_BATCH && length < MAX_BATCH_LENGTH) continue
    yield* batchesOf(waiting)
    waiting = []
    length = 0
  }
  yield* batchesOf(waiting.concat(await parser.end()))
}

/** JSON is parsed as a whole, the other formats as they arrive. */
export async function* readRecords(
  text: AsyncIterable<string>,
  { format, recordPath, delimiter }: Content,
  { firstPage, onDocument }: Document = { firstPage: true },
): AsyncGenerator<SourceRecord[]> {
  if (format === 'jsonl') return yield* parse(text, new JsonLines())
  if (format === 'csv') return yield* parse(text, new CsvRecords(delimiter))
  const document = await readDocument(text)
  onDocument?.(document)
  const list = listIn(document, recordPath, firstPage)
  yield* batchesOf(list.map((value, at) => toRecord(value, `record ${at + 1} of the page`)))
}
