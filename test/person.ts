import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import { newId } from '../server/platform/ids.ts'
import type { Response } from './harness.ts'

/** Satisfies every policy that tests set. */
export const PASSWORD = 'Tangled-Orchard-58'

/** The current code, and the next one, which is already accepted. Each works once. */
export function codesOf(secret: string): [string, string] {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const now = Date.now()
  return [totp.generate({ timestamp: now }), totp.generate({ timestamp: now + 30_000 })]
}

interface Administrator {
  post(url: string, body?: unknown): Promise<Response>
}

/** A user who can sign in, created by the administrator. */
export async function addPerson(org: Administrator, more: object = {}) {
  // Digits only: letters of an id can be a name that a test searches for, such as "ada".
  const username = `person.${BigInt(`0x${newId()}`)}`
  const body = { username, email: `${username}@example.com`, password: PASSWORD, ...more }
  const res = await org.post('/api/systemusers', body)
  assert.equal(res.statusCode, 200, res.body)
  return res.json() as { id: string; username: string; email: string; organization: string }
}

/** An application of the user, by default a bookmark. */
export async function bindApplication(org: Administrator, userId: string, more: object = {}) {
  const body = { name: 'bookmark', ssoUrl: 'https://wiki.example.com/', active: true, ...more }
  const made = await org.post('/api/applications', body)
  assert.equal(made.statusCode, 200, made.body)
  const { id } = made.json() as { id: string }
  const bind = { op: 'add', type: 'user', id: userId }
  const bound = await org.post(`/api/v2/applications/${id}/associations`, bind)
  assert.equal(bound.statusCode, 204, bound.body)
  return id
}

/** A browser as the portal's API sees it: keeps the cookie, and sends the CSRF token with changes. */
export class Person {
  readonly #http: FastifyInstance
  cookie = ''
  /** The known-device cookie; survives the session. */
  device = ''
  remoteAddress: string | undefined
  csrfToken = ''

  constructor(http: FastifyInstance) {
    this.#http = http
  }

  async #call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Response> {
    const res = await this.#http.inject({
      method,
      url: `/auth/users${path}`,
      ...(this.remoteAddress !== undefined && { remoteAddress: this.remoteAddress }),
      headers: {
        ...((this.cookie || this.device) && { cookie: `${this.cookie}; ${this.device}` }),
        ...(this.csrfToken && method !== 'GET' && { 'x-csrf-token': this.csrfToken }),
      },
      ...(body && { payload: body }),
    })
    for (const set of [res.headers['set-cookie'] ?? []].flat()) {
      const cookie = set.split(';')[0]!
      if (cookie.startsWith('gatehouse_device=')) this.device = cookie
      else this.cookie = cookie
    }
    if (res.statusCode === 200 && res.json().csrfToken) this.csrfToken = res.json().csrfToken
    return res
  }

  get = (path: string) => this.#call('GET', path)
  post = (path: string, body?: object) => this.#call('POST', path, body)
  put = (path: string, body?: object) => this.#call('PUT', path, body)
  delete = (path: string) => this.#call('DELETE', path)
  signIn = (identifier: string, password = PASSWORD, more: object = {}) =>
    this.post('/sign-in', { identifier, password, ...more })

  /** Signs in; throws if that fails. */
  async enter(identifier: string, password = PASSWORD): Promise<this> {
    const res = await this.signIn(identifier, password)
    assert.equal(res.json().status, 'signed_in', res.body)
    return this
  }
}
