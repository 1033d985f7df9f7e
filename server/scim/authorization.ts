import type { Outbound } from '../platform/outbound/client.ts'
import type { ScimAuth } from './connection.ts'
import { type Redact, redactor } from './refusal.ts'
import { TokenSource } from './token.ts'

/** The headers that authorize requests to a provider. */
export class Authorization {
  readonly #auth: ScimAuth
  readonly #tokens: TokenSource | undefined

  constructor(auth: ScimAuth, outbound: Outbound, now: () => number) {
    this.#auth = auth
    this.#tokens = auth.type === 'oauth' ? new TokenSource(outbound, auth, now) : undefined
  }

  async headers(): Promise<Record<string, string>> {
    const auth = this.#auth
    if (auth.type === 'header') return { [auth.name.toLowerCase()]: auth.value }
    if (auth.type === 'basic') return { authorization: `Basic ${basic(auth)}` }
    const token = auth.type === 'bearer' ? auth.token : await this.#tokens!.get()
    return { authorization: `Bearer ${token}` }
  }

  /** The provider refused these headers. Returns whether other ones can be had. */
  refused(headers: Record<string, string>): boolean {
    this.#tokens?.drop(headers.authorization?.slice('Bearer '.length) ?? '')
    return this.#tokens !== undefined
  }

  get redact(): Redact {
    return redactor(this.#secrets())
  }

  #secrets(): string[] {
    const auth = this.#auth
    if (auth.type === 'bearer') return [auth.token]
    if (auth.type === 'basic') return [basic(auth), auth.password]
    if (auth.type === 'header') return [auth.value]
    return [auth.clientSecret, this.#tokens?.current ?? '']
  }
}

const basic = ({ username, password }: { username: string; password: string }): string =>
  Buffer.from(`${username}:${password}`).toString('base64')
