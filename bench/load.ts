import { runJson } from './child.ts'

export interface Load {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  connections: number
  seconds: number
  /** Sent as JSON; `$unique` in it becomes what no other request has. */
  uniqueBody?: Record<string, unknown>
}

export interface LoadResult {
  perSecond: number
  failed: number
  p50: number
  p99: number
}

/** Answers a second. An answer that is not a success would be a fast way to look good, so one is an error. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const { perSecond, failed } = await runJson<LoadResult>('bench/cannon.ts', load)
  if (failed > 0) throw new Error(`${failed} requests to ${load.url} failed`)
  return perSecond
}
