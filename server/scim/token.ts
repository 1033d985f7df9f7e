import type { Outbound } from '../platform/outbound/client.ts'
import { readContent } from './answer.ts'
import type { OAuthClient } from './connection.ts'
import { ScimFailure, unanswered } from './failures.ts'
import { detailOf, redactor, retryAfterOf } from './refusal.ts'
import { isObject, type Json } from './resource.ts'

const TOTAL_MS = 30_000
/** The part of its life in which a token is used: it must not expire on its way. */
const USED_LIFE = 0.9

/** The access token of a client, in memory. Concurrent callers share one request. */
export class TokenSource {
  readonly #outbound: Outbound
  readonly #client: OAuthClient
  readonly #now: () => number
  #token: { value: string; expiresAt: number } | undefined
  #fetching: Promise<string> | undefined
  #secretInBody = false

  constructor(outbound: Outbound, client: OAuthClient, now: () => number) {
    this.#outbound = outbound
    this.#client = client
    this.#now = now
  }

  get current(): string | undefined {
    return this.#token?.value
  }

  async get(): Promise<string> {
    if (this.#token && this.#now() < this.#token.expiresAt) return this.#token.value
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching
  }

  /** Refused by the provider. Another request may have replaced it already. */
  drop(value: string): void {
    if (this.#token?.value === value) this.#token = undefined
  }

  async #fetch(): Promise<string> {
    let answer = await this.#request()
    // RFC 6749 §2.3.1: servers must accept the secret in the header, but some accept it only in the body.
    if ((answer.status === 400 || answer.status === 401) && !this.#secretInBody) {
      this.#secretInBody = true
      const second = await this.#request()
      if (second.status === 200) answer = second
      else this.#secretInBody = false
    }
    const { status, headers, content } = answer
    const fields: Json = isObject(content) ? content : {}
    if (status === 200 && typeof fields.access_token === 'string' && fields.access_token !== '') {
      const lifetime = Number(fields.expires_in) * 1000 * USED_LIFE
      // Without a lifetime it is used until the provider refuses it.
      const expiresAt = Number.isNaN(lifetime) ? Number.POSITIVE_INFINITY : this.#now() + lifetime
      this.#token = { value: fields.access_token, expiresAt }
      return fields.access_token
    }
    const kind = status === 429 || status >= 500 ? 'transient' : 'misconfigured'
    const detail = detailOf(answer, redactor([this.#client.clientSecret]))
    const words = detail || (status === 200 ? 'it sent none' : 'no reason given')
    throw new ScimFailure(kind, `The token URL gave no access token: ${words} (${status})`, {
      status,
      detail,
      retryAfterMs: retryAfterOf(headers, this.#now()),
    })
  }

  async #request() {
    const { tokenUrl, clientId, clientSecret, scope, audience } = this.#client
    const inBody = this.#secretInBody
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
      ...(inBody && { client_id: clientId, client_secret: clientSecret }),
    })
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
    try {
      const { status, headers, body } = await this.#outbound.stream(tokenUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
          ...(!inBody && { authorization }),
        },
        body: form.toString(),
        repeatable: true,
        totalMs: TOTAL_MS,
      })
      return { status, headers, content: await readContent(body) }
    } catch (error) {
      throw unanswered(error, 'get an access token')
    }
  }
}
