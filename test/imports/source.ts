import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { SourceFailure } from '../../server/imports/sources/failures.ts'
import { openSource } from '../../server/imports/sources/open.ts'
import type { SourceConfig } from '../../server/imports/sources/schema.ts'
import { readSource } from '../../server/imports/sources/settings.ts'
import type {
  Source,
  SourceDependencies,
  SourceRecord,
} from '../../server/imports/sources/source.ts'
import { Allowlist } from '../../server/platform/outbound/allowlist.ts'
import { Outbound } from '../../server/platform/outbound/client.ts'

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
) => unknown

/** A server whose responses the test writes. */
export async function serve(t: TestContext, answer: Answer) {
  /** Path and query of every request. */
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    answer(request, response, new URL(request.url!, 'http://localhost').searchParams)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export const sendJson = (response: ServerResponse, body: unknown, headers = {}) =>
  response
    .writeHead(200, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body))

/** A source that waits for nothing; `waits` has the times it would have waited. */
export function open(
  t: TestContext,
  config: SourceConfig,
  dependencies: Partial<SourceDependencies> = {},
): { source: Source; waits: number[] } {
  const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
  t.after(() => outbound.close())
  const waits: number[] = []
  const { settings, secret } = readSource(config)
  const source = openSource(settings, secret ?? null, {
    outbound,
    throttleKey: 'test',
    wait: async (ms) => void waits.push(ms),
    ...dependencies,
  })
  return { source, waits }
}

export async function readAll(
  source: Source,
  options: Parameters<Source['read']>[0] = {},
): Promise<SourceRecord[]> {
  const all: SourceRecord[] = []
  for await (const batch of source.read(options)) {
    assert.ok(batch.length >= 1 && batch.length <= 1000, `${batch.length} records at once`)
    all.push(...batch)
  }
  return all
}

/** The ids of records, or the problem. */
export const idsOf = (records: SourceRecord[]): unknown[] =>
  records.map((one) => ('record' in one ? one.record.id : one.problem))

/** For assert.rejects. */
export const fails = (kind: SourceFailure['kind'], words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SourceFailure, String(error))
  assert.equal(error.kind, kind, error.message)
  assert.match(error.message, words)
  return true
}
