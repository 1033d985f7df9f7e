import { setTimeout as delay } from 'node:timers/promises'
import { createClient, type GatehouseClient } from '../client/index.ts'
import { messageOf, OperatorError } from '../server/platform/errors.ts'
import type { Target } from './events-options.ts'

/** A busy service says when to retry; after this many attempts report the failure. */
const MAX_TRIES = 10

/** Sends a fresh `request()` on every attempt. */
export async function send(
  target: Target,
  request: () => Request,
  tries = MAX_TRIES,
): Promise<Response> {
  for (let left = tries; ; left--) {
    let response: Response
    try {
      response = await fetch(request())
    } catch (error) {
      const { cause } = error as Error
      throw new OperatorError(`Cannot reach ${target.baseUrl}: ${messageOf(cause ?? error)}`, {
        cause: error,
      })
    }
    if (response.status !== 429 || left <= 1) return response
    await response.body?.cancel()
    const seconds = Math.max(1, Number(response.headers.get('retry-after')) || 1)
    process.stderr.write(`The service is busy; retrying in ${seconds} s\n`)
    await delay(seconds * 1000)
  }
}

export function insightsClient(target: Target): GatehouseClient['insights'] {
  const { baseUrl, apiKey, organizationIds } = target
  return createClient({
    baseUrl,
    apiKey,
    organizationId: organizationIds.join(','),
    fetch: (request) => send(target, () => request.clone()),
  }).insights
}

/** For requests that the typed client does not support: streamed bodies and responses. */
export const headersOf = (target: Target): Record<string, string> => ({
  'x-api-key': target.apiKey,
  ...(target.organizationIds.length > 0 && { 'x-org-id': target.organizationIds.join(',') }),
  ...(target.providerId !== undefined && { 'x-provider-id': target.providerId }),
})

export function refusal(status: number, body: unknown): OperatorError {
  const { message = '', reason } = (body ?? {}) as { message?: string; reason?: string }
  if (reason === 'org_id_required')
    return new OperatorError('The key is for several organizations; choose one with --org')
  return new OperatorError(`The service responded ${status}${message && `: ${message}`}`)
}
