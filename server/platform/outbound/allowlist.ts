import { BlockList, isIP } from 'node:net'
import { addRange, contains, isPublic } from './addresses.ts'

const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** A host name as it is compared: lower case, without the dot at the end. */
export const plainHost = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/** What the operator has opened beyond the internet: networks, addresses, hosts by name. */
export class Allowlist {
  readonly #ranges = new BlockList()
  readonly #hosts = new Set<string>()

  /** Throws with words that name the bad entry. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (addRange(this.#ranges, entry)) continue
      const host = plainHost(entry)
      // Digits and dots alone are an address with a mistake in it.
      if (!HOST.test(host) || /^[\d.]+$/.test(host))
        throw new Error(`must list networks (CIDR), addresses and host names; "${entry}" is none`)
      this.#hosts.add(host)
    }
  }

  hasHost(host: string): boolean {
    return this.#hosts.has(plainHost(host))
  }

  /** Takes what `plainAddress` gives. */
  hasAddress(address: string): boolean {
    return isIP(address) !== 0 && contains(this.#ranges, address)
  }

  admits(host: string, address: string): boolean {
    return isPublic(address) || this.hasHost(host) || this.hasAddress(address)
  }
}
