import { runJson } from './child.ts'

export interface Load {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  connections: number
  seconds: number
  /** One of these at random with each request, in place of the address's own. */
  paths?: string[]
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

/** Busy, as on a Monday morning; and few at once, where less can be done together. */
export const MANY = 64
export const FEW = 16
