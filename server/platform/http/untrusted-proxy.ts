import type { FastifyInstance } from 'fastify'
import type { Logger } from '../log.ts'
import { isPublic, plainAddress } from '../outbound/addresses.ts'

const HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

/**
 * Notices a proxy in front of us whose headers are not believed: a private peer says where a request comes from, yet the
 * peer is what we take for the client. All clients then share the limits of one address, and events name the proxy. Told
 * once; what is returned is for the health of the process.
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
    if (request.ip === peer && !isPublic(plainAddress(peer))) {
      const warning = `A proxy sends ${header}, but GATEHOUSE_TRUSTED_PROXIES does not name it: all clients count as one address`
      warnings.push(warning)
      log.warn({ header, peer }, warning)
      notice()
    }
    done()
  })
  return warnings
}
