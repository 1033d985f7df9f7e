import { messageOf, OperatorError } from '../server/platform/errors.ts'
import { checkTarget, writeWhole } from '../server/platform/files.ts'
import { command, UsageError } from './command.ts'
import { headersOf, refusal, send } from './events-http.ts'
import { writeOut } from './events-line.ts'
import {
  FILTER,
  readSelection,
  readTarget,
  type Selection,
  TARGET,
  type Target,
  TIMES,
} from './events-options.ts'
import { type Progress, progressLine } from './output.ts'

/** Earlier than any event. */
const BEGINNING = '1970-01-01'

const FORMATS = ['ndjson', 'csv'] as const
type Format = (typeof FORMATS)[number]

type Write = (text: string) => Promise<void>

/** Counts rows in the stream. CSV may have line breaks inside quoted cells; NDJSON has none inside a row. */
function rowCounter(format: Format): (text: string) => number {
  // The header row is not an event.
  let rows = format === 'csv' ? -1 : 0
  let quoted = false
  return (text) => {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 34 && format === 'csv') quoted = !quoted
      else if (code === 10 && !quoted) rows++
    }
    return Math.max(0, rows)
  }
}

/** The response in chunks; one that ends early is an error, never a truncated file. */
async function* exportedText(
  target: Target,
  selection: Selection,
  format: Format,
): AsyncGenerator<string> {
  const init: RequestInit = {
    method: 'POST',
    headers: { ...headersOf(target), 'content-type': 'application/json' },
    body: JSON.stringify({ ...selection, format }),
  }
  const url = `${target.baseUrl}/insights/directory/v1/events/export`
  const response = await send(target, () => new Request(url, init))
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => null))
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const reader = response.body?.getReader()
  for (;;) {
    const piece = await reader?.read().catch((error: Error) => {
      const reason = messageOf(error.cause ?? error)
      throw new OperatorError(`The connection was lost before the export was complete: ${reason}`, {
        cause: error,
      })
    })
    if (!piece || piece.done) return
    yield decoder.decode(piece.value, { stream: true })
  }
}

function readFormat(text: string): Format {
  const format = FORMATS.find((one) => one === text.toLowerCase())
  if (!format) throw new UsageError(`--format must be ${FORMATS.join(' or ')}`)
  return format
}

async function copy(
  pieces: AsyncIterable<string>,
  count: (text: string) => number,
  write: Write,
  progress: Progress,
): Promise<number> {
  let rows = 0
  for await (const text of pieces) {
    await write(text)
    rows = count(text)
    progress.show(`${rows} events`)
  }
  return rows
}

export const exportEvents = command({
  about: 'Writes all matching events to FILE; - is stdout.',
  operands: ['FILE'],
  options: {
    ...TARGET,
    ...FILTER,
    ...TIMES,
    since: { ...TIMES.since, about: 'RFC 3339, or 15m, 2h, 7d ago; all stored events by default' },
    format: {
      type: 'string',
      value: 'FORMAT',
      about: 'ndjson (one JSON document per line, default) or csv',
    },
  },
  notes: [
    'Writes to FILE.partial, which is renamed to FILE when it is complete.',
    'CSV columns are the fields given by --field; by default common fields and the whole event.',
  ],
  async run({ options, operands }) {
    const [file] = operands as [string]
    const format = readFormat(options.format ?? 'ndjson')
    if (file !== '-') checkTarget(file)
    const pieces = exportedText(readTarget(options), readSelection(options, BEGINNING), format)
    const progress = progressLine()
    let rows = 0
    const work = async (write: Write): Promise<void> => {
      rows = await copy(pieces, rowCounter(format), write, progress)
    }
    // Audit events are confidential: only the owner may read the file.
    const toFile = () => writeWhole(file, (handle) => work((text) => handle.appendFile(text)))
    await (file === '-' ? work(writeOut) : toFile()).finally(progress.done)
    if (file !== '-') process.stdout.write(`${file}: ${rows} events.\n`)
  },
})
