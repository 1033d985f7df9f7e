import { parseCookie, stringifySetCookie } from 'cookie'
import type { Client } from './caller.ts'
import type { Sealer } from './secrets.ts'

const COOKIE = 'gatehouse_device'
/** Nobody else can make or change one: sealing is authenticated encryption. */
const SEAL = 'known device'
const MAX_DAYS = 90
/** Accounts that one browser is remembered for; the latest ones. */
const MAX_ACCOUNTS = 8

/** Account and the end of its mark, in seconds since 1970. */
type Mark = [id: string, until: number]

/** The cookie with the marks, for `Client.device`. */
export const deviceOf = (cookies: string | undefined): string | undefined =>
  cookies === undefined ? undefined : parseCookie(cookies)[COOKIE]

/**
 * Browsers that somebody signed in with before, so that failures of others at the same address do not keep them out. It
 * proves nothing else: the password is asked for, and failures count against the account.
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
      // Made up, cut off, or sealed with a key that is gone.
      return []
    }
  }

  async knows(client: Client, accountId: string): Promise<boolean> {
    return (await this.#marks(client)).some(([id]) => id === accountId)
  }

  /** The cookie after a success, which keeps the marks of others at this browser. */
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
