import { isIP } from 'node:net'
import { groupsOf, plainAddress } from './outbound/addresses.ts'

/**
 * The rate-limiting key of an address. An IPv6 host usually gets a whole /64 (RFC 6177 §2), so its addresses share one
 * key. IPv4-mapped IPv6 counts as IPv4.
 */
export function addressKey(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const network = groupsOf(plain).slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
