import { parseCookie, stringifySetCookie } from 'cookie'
import type { Client } from './caller.ts'
import type { Sealer } from './secrets.ts'

const COOKIE = 'gatehouse_device'
/** Cannot be forged: sealing is authenticated encryption. */
const SEAL = 'known device'
const MAX_DAYS = 90
/** Accounts remembered per browser, most recent first. */
const MAX_ACCOUNTS = 8

/** Account and expiry, in seconds since 1970. */
type Mark = [id: string, until: number]

/** The cookie with the marks, for `Client.device`. */
export const deviceOf = (cookies: string | undefined): string | undefined =>
  cookies === undefined ? undefined : parseCookie(cookies)[COOKIE]

/**
 * Browsers with a successful sign-in before: failures of others behind the same address do not block them. Grants
 * nothing else: the password is still required, and failures count against the account.
 */
export class KnownDevices {
  readonly #sealer: Sealer
  readonly #secure: boolean

  constructor(sealer: Sealer, publicUrl: string) {
    this.#sealer = sealer
    this.#secure = publicUrl.startsWith('https:')
  }

  async #marks({ device }: Client): Promise<Mark[]> {
    if (device === undefined) return []
    try {
      const marks: Mark[] = JSON.parse(await this.#sealer.unseal(device, SEAL))
      return marks.filter(([, until]) => until * 1000 > Date.now())
    } catch {
      // Forged, truncated, or sealed with a deleted key.
      return []
    }
  }

  async knows(client: Client, accountId: string): Promise<boolean> {
    return (await this.#marks(client)).some(([id]) => id === accountId)
  }

  /** The cookie after a success; keeps the marks of other accounts in this browser. */
  async remember(client: Client, accountId: string): Promise<string> {
    const others = (await this.#marks(client)).filter(([id]) => id !== accountId)
    const maxAge = MAX_DAYS * 86_400
    const own: Mark = [accountId, Math.floor(Date.now() / 1000) + maxAge]
    return stringifySetCookie({
      name: COOKIE,
      value: this.#sealer.seal(JSON.stringify([own, ...others].slice(0, MAX_ACCOUNTS)), SEAL),
      path: '/auth',
      httpOnly: true,
      sameSite: 'strict',
      secure: this.#secure,
      maxAge,
    })
  }
}
