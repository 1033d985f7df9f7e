import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { caller } from './harness.ts'

let addresses = 0

/** A console session of an administrator: calls carry its cookie and CSRF token. */
export async function signInToConsole(
  http: FastifyInstance,
  { email, password }: { email: string; password: string },
) {
  // A separate address each, or the tests would throttle each other.
  const remoteAddress = `10.1.${Math.floor(addresses / 250)}.${(addresses++ % 250) + 1}`
  const payload = { email, password }
  const res = await http.inject({ method: 'POST', url: '/auth/sign-in', remoteAddress, payload })
  assert.equal(res.statusCode, 200, res.body)
  const { name, value } = res.cookies[0]!
  const headers = { cookie: `${name}=${value}`, 'x-csrf-token': res.json().csrfToken }
  const { get, post, put, patch, delete: remove } = caller(http, null)
  const session = {
    headers,
    get: (url: string) => get(url, headers),
    post: (url: string, body?: unknown) => post(url, body, headers),
    put: (url: string, body?: unknown) => put(url, body, headers),
    patch: (url: string, body?: unknown) => patch(url, body, headers),
    delete: (url: string) => remove(url, undefined, headers),
    /** Confirms the session with the password and, if enrolled, the second factor. */
    confirm: (code?: string) => post('/auth/session/confirm', { password, code }, headers),
  }
  return session
}
