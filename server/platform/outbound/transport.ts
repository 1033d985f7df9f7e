import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { Address, Destination } from './destination.ts'

/** When undici gives up a connection by itself; requests have shorter limits of their own. */
export const MAX_CONNECT_MS = 10_000

interface Pin {
  addresses: Address[]
  holders: number
}

/** undici's connections, which can only reach addresses that were checked for a request under way. */
export class Transport {
  readonly #ca: string | undefined
  readonly #pins = new Map<string, Pin>()
  readonly #agent = new Agent({ factory: (origin) => this.#pool(String(origin)) })

  constructor(ca: string | undefined) {
    this.#ca = ca
  }

  /** Connections that are kept and used again. */
  get shared(): Dispatcher {
    return this.#agent
  }

  /** For one request: a connection of its own, which nobody can have closed meanwhile. */
  fresh(origin: string): Client {
    return new Client(origin, { connect: this.#connector(origin), allowH2: false, pipelining: 0 })
  }

  /**
   * Until it is released, new connections to this origin lead to these addresses. By origin and not by name, since
   * an address that is good enough for https may not be so for http.
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
    // HTTP/2 would put all requests of an origin on one connection, with flow control and failures in common.
    return new Pool(origin, { connect: this.#connector(origin), allowH2: false })
  }

  #connector(origin: string): buildConnector.connector {
    // The socket asks here instead of DNS, and without a pin it connects to nothing.
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
    // Always the name in the address: undici would take it from a Host header and check the certificate against that.
    const name = new URL(origin).hostname.replace(/\.$/, '')
    // RFC 6066 §3: an address is no server name.
    const servername = isIP(name.replace(/^\[|\]$/g, '')) === 0 ? name : ''
    return (options, done) => connect({ ...options, servername }, done)
  }
}
