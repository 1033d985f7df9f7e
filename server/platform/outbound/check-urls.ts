import { invalid } from '../errors.ts'
import type { Outbound } from './client.ts'
import { OutboundError } from './errors.ts'

/** For forms that accept URLs, by the name of their field. Resolves names. */
export async function checkUrls(outbound: Outbound, urls: Record<string, string>): Promise<void> {
  for (const [field, url] of Object.entries(urls))
    try {
      await outbound.check(url)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw invalid('bad_url', `${field}: ${error.message}`, { cause: error.cause })
    }
}
