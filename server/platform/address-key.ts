import { isIP } from 'node:net'
import { groupsOf, plainAddress } from './outbound/addresses.ts'

/**
 * What requests from an address are counted under. An IPv6 host has a whole /64 to itself (RFC 6177 §2), so its other
 * addresses are the same client; IPv4 in IPv6 is IPv4.
 */
export function addressKey(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const network = groupsOf(plain).slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
