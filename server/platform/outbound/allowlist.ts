import { BlockList, isIP } from 'node:net'
import { addRange, contains, isPublic } from './addresses.ts'

const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** A host name in canonical form: lower case, without the trailing dot. */
export const plainHost = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/** Non-public destinations that the operator allows: networks, addresses, host names. */
export class Allowlist {
  readonly #ranges = new BlockList()
  readonly #hosts = new Set<string>()

  /** Throws an error that names the invalid entry. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (addRange(this.#ranges, entry)) continue
      const host = plainHost(entry)
      // Only digits and dots: an address with a typo.
      if (!HOST.test(host) || /^[\d.]+$/.test(host))
        throw new Error(
          `must list networks (CIDR), addresses and host names; "${entry}" is invalid`,
        )
      this.#hosts.add(host)
    }
  }

  hasHost(host: string): boolean {
    return this.#hosts.has(plainHost(host))
  }

  /** Expects the result of `plainAddress`. */
  hasAddress(address: string): boolean {
    return isIP(address) !== 0 && contains(this.#ranges, address)
  }

  admits(host: string, address: string): boolean {
    return isPublic(address) || this.hasHost(host) || this.hasAddress(address)
  }
}
