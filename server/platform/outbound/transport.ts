import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { Address, Destination } from './destination.ts'

/** undici's own connect timeout; requests have shorter limits. */
export const MAX_CONNECT_MS = 10_000

interface Pin {
  addresses: Address[]
  holders: number
}

/** undici connections that can only reach addresses checked for a request in progress. */
export class Transport {
  readonly #ca: string | undefined
  readonly #pins = new Map<string, Pin>()
  readonly #agent = new Agent({ factory: (origin) => this.#pool(String(origin)) })

  constructor(ca: string | undefined) {
    this.#ca = ca
  }

  /** The keep-alive pool. */
  get shared(): Dispatcher {
    return this.#agent
  }

  /** A new connection for one request, which the peer cannot have closed already. */
  fresh(origin: string): Client {
    return new Client(origin, { connect: this.#connector(origin), allowH2: false, pipelining: 0 })
  }

  /**
   * Until released, new connections to this origin go to these addresses. Keyed by origin, not by name, since an
   * address
   * allowed for https may not be allowed for http.
   */
  pin({ url, addresses }: Destination): () => void {
    const { origin } = url
    const pin = this.#pins.get(origin) ?? { addresses, holders: 0 }
    pin.addresses = addresses
    pin.holders++
    this.#pins.set(origin, pin)
    return () => {
      if (--pin.holders === 0) this.#pins.delete(origin)
    }
  }

  close(): void {
    this.#agent.destroy(() => {})
  }

  #pool(origin: string): Pool {
    // HTTP/2 would put all requests to an origin on one connection, with shared flow control and failures.
    return new Pool(origin, { connect: this.#connector(origin), allowH2: false })
  }

  #connector(origin: string): buildConnector.connector {
    // Replaces DNS for the socket: without a pin it cannot connect.
    const lookup: LookupFunction = (_, options, done) => {
      const addresses = this.#pins.get(origin)?.addresses
      const first = addresses?.[0]
      if (!first) done(new Error(`No address was checked for ${origin}`), '')
      else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    }
    const connect = buildConnector({
      lookup,
      timeout: MAX_CONNECT_MS,
      allowH2: false,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(this.#ca !== undefined && { ca: this.#ca }),
    })
    // Always the URL's host: undici would use the Host header and check the certificate against that.
    const name = new URL(origin).hostname.replace(/\.$/, '')
    // RFC 6066 §3: an IP address is not a valid server name.
    const servername = isIP(name.replace(/^\[|\]$/g, '')) === 0 ? name : ''
    return (options, done) => connect({ ...options, servername }, done)
  }
}
