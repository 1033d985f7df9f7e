import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Allowlist } from '../../server/platform/outbound/allowlist.ts'
import { Outbound } from '../../server/platform/outbound/client.ts'
import {
  type ScimAuth,
  ScimClient,
  ScimFailure,
  type ScimFailureKind,
  ScimProvider,
  type ScimQuirks,
} from '../../server/scim/index.ts'

interface Options {
  token?: string
  auth?: ScimAuth
  quirks?: ScimQuirks
  now?: () => number
}

/** A provider at this base URL, which may be on loopback. */
export function connect(t: TestContext, url: string, options: Options = {}) {
  const { token = 'scim-token', auth = { type: 'bearer', token }, ...rest } = options
  const outbound = new Outbound({ allowlist: new Allowlist(['127.0.0.1']) })
  t.after(() => outbound.close())
  /** What a caller would store, newest last. */
  const saved: ScimQuirks[] = []
  const provider = new ScimProvider({
    outbound,
    onQuirk: (quirks) => saved.push(quirks),
    connection: { baseUrl: url, auth, concurrency: 16 },
    throttleKey: url,
    ...rest,
  })
  return { provider, client: new ScimClient(provider), saved }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** For assert.rejects. */
export const fails = (kind: ScimFailureKind, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ScimFailure, String(error))
  assert.equal(error.kind, kind, error.message)
  assert.match(error.message, words)
  return true
}
