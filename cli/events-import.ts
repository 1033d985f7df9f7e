import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { components } from '../client/insights.gen.ts'
import { checkSource } from '../server/platform/files.ts'
import { command, UsageError } from './command.ts'
import { headersOf, refusal, send } from './events-http.ts'
import { readTarget, TARGET, type Target } from './events-options.ts'
import { print, progressLine } from './output.ts'

type Report = components['schemas']['IngestReport']

const { provider: _, ...ONE_TENANT } = TARGET
const NEWLINE = 10
/** RFC 1952 §2.3.1: detected by magic number, not by file name, so that stdin works as well. */
const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

function countLines(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

interface Source {
  gzip: boolean
  /** The bytes from the start; only a file can be read more than once. */
  read(): AsyncIterable<Uint8Array>
  again: boolean
}

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>) {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function fromStdin(): Promise<Source> {
  const bytes: AsyncIterator<Uint8Array> = process.stdin[Symbol.asyncIterator]()
  let first = new Uint8Array()
  // The magic number has two bytes; a pipe may deliver one.
  while (first.length < 2) {
    const next = await bytes.next()
    if (next.done) break
    first = Buffer.concat([first, next.value])
  }
  return { gzip: isGzip(first), again: false, read: () => startingWith(first, bytes) }
}

async function fromFile(file: string): Promise<Source & AsyncDisposable> {
  checkSource(file)
  const handle = await open(file)
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
  const read = () => handle.createReadStream({ start: 0, autoClose: false })
  const close = () => handle.close()
  return { gzip: isGzip(buffer), again: true, read, [Symbol.asyncDispose]: close }
}

async function upload(target: Target, { gzip, again, read }: Source): Promise<Report> {
  const progress = progressLine()
  async function* watched(): AsyncGenerator<Uint8Array> {
    let bytes = 0
    let lines = 0
    for await (const chunk of read()) {
      bytes += chunk.length
      if (!gzip) lines += countLines(chunk)
      progress.show(`${(bytes / 1e6).toFixed(1)} MB${gzip ? '' : `, ${lines} lines`}`)
      yield chunk
    }
  }
  const request = () => {
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: {
        ...headersOf(target),
        'content-type': 'application/x-ndjson',
        ...(gzip && { 'content-encoding': 'gzip' }),
      },
      body: Readable.toWeb(Readable.from(watched(), { objectMode: false })) as ReadableStream,
      duplex: 'half',
      // Fetch standard, HTTP-network-or-cache fetch: otherwise the body is buffered for a retry.
      redirect: 'error',
      window: null,
    }
    return new Request(`${target.baseUrl}/insights/directory/v1/ingest`, init)
  }
  const response = await send(target, request, again ? undefined : 1).finally(progress.done)
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw refusal(response.status, body)
  return body as Report
}

export const importEvents = command({
  about: 'Imports events of other sources: a JSON array or one document per line; - is stdin.',
  operands: ['FILE'],
  options: ONE_TENANT,
  notes: [
    'A gzipped file is sent as is. Events whose id is already stored are skipped, so an interrupted',
    'import can be repeated. The exit code is 1 when a line was rejected.',
  ],
  json: true,
  async run({ options, operands, json }) {
    const [file] = operands as [string]
    const target = readTarget({ ...options, provider: undefined })
    if (target.organizationIds.length > 1) throw new UsageError('--org must be one organization')
    let report: Report
    if (file === '-') report = await upload(target, await fromStdin())
    else {
      await using source = await fromFile(file)
      report = await upload(target, source)
    }
    const { received, stored, duplicates, rejected, errors } = report
    print(json, report, () => [
      `${received} received, ${stored} stored, ${duplicates} already stored, ${rejected} rejected`,
      ...errors.map(({ line, message }) => `line ${line}: ${message}`),
      ...(rejected > errors.length ? [`and ${rejected - errors.length} more`] : []),
    ])
    if (rejected > 0) process.exitCode = 1
  },
})
