import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ScimError } from './errors.ts'
import type { Lab } from './lab.ts'

const LOGIN_PAGE = '<!doctype html><title>Sign in</title><form><input name="user"></form>'

/** Lets requests fail as the settings and the profile say, and records all of them. */
export function registerFaults(app: FastifyInstance, lab: Lab): void {
  const { store, faults, stopping } = lab
  const lost = new WeakSet<FastifyRequest>()

  app.addHook('onRequest', async (request, reply) => {
    const { kind, status, retryAfter, delayMs } = faults.next()
    if (delayMs > 0) await delay(delayMs, undefined, { signal: stopping }).catch(() => {})
    if (kind === 'cutBefore') {
      const { method, url: path } = request
      store.record({ method, path, status: 0, note: 'cut before it took effect' })
      reply.hijack()
      request.raw.socket.destroy()
      return reply
    }
    if (kind === 'cutAfter') lost.add(request)
    if (kind === 'status') {
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
      throw new ScimError(status, 'A fault of the lab')
    }
    if (lab.profile.loginPage) return reply.type('text/html; charset=utf-8').send(LOGIN_PAGE)
  })

  // Before the reply is sent: a client that has it finds it in the journal.
  app.addHook('onSend', async (request, reply) => {
    const { method, url: path } = request
    const status = reply.statusCode
    const isLost =
      lost.has(request) || (lab.profile.losesCreateReplies && method === 'POST' && status < 300)
    store.record({ method, path, status, ...(isLost && { note: 'reply lost' }) })
    if (isLost) request.raw.socket.destroy()
  })
}
