import type { FastifyInstance } from 'fastify'
import type { Logger } from '../log.ts'
import { isPublic, plainAddress } from '../outbound/addresses.ts'

const HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

/**
 * Detects a proxy that is not trusted: a private peer sends forwarding headers, yet we take the peer for the client.
 * All clients then share the rate limits of one address, and events name the proxy. Logged once; the returned warnings
 * are part of the health report.
 */
export function watchForUntrustedProxy(
  app: FastifyInstance,
  log: Logger,
  notice: () => void,
): readonly string[] {
  const warnings: string[] = []
  app.addHook('onRequest', (request, _, done) => {
    if (warnings.length > 0) return done()
    const header = HEADERS.find((name) => request.headers[name] !== undefined)
    if (header === undefined) return done()
    const peer = request.socket.remoteAddress ?? ''
    // With a trusted peer, the addresses it forwards for come after its own; theirs may be the same.
    const believed = (request.ips?.length ?? 0) > 1
    if (!believed && !isPublic(plainAddress(peer))) {
      const warning = `A proxy sends ${header}, but GATEHOUSE_TRUSTED_PROXIES does not list it: all clients count as one address`
      warnings.push(warning)
      log.warn({ header, peer }, warning)
      notice()
    }
    done()
  })
  return warnings
}
