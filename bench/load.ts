import { runJson } from './child.ts'

export interface Load {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  connections: number
  seconds: number
  /** Paths to choose from at random for each request, instead of the URL's own. */
  paths?: string[]
  /** Sent as JSON; `$unique` is replaced by a value unique to the request. */
  uniqueBody?: Record<string, unknown>
}

export interface LoadResult {
  perSecond: number
  failed: number
  p50: number
  p99: number
}

/** Responses per second. An unsuccessful response throws, since errors would make the result look good. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const { perSecond, failed } = await runJson<LoadResult>('bench/cannon.ts', load)
  if (failed > 0) throw new Error(`${failed} requests to ${load.url} failed`)
  return perSecond
}

/** High concurrency, and low concurrency, where batching helps less. */
export const MANY = 64
export const FEW = 16
