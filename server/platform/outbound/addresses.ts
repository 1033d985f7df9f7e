import { BlockList, isIP } from 'node:net'

// Addresses outside the public internet: IANA's special-purpose registries (RFC 6890).

const CLOSED_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, including cloud metadata services
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** Global unicast; anything else is local, multicast or unassigned. */
const OPEN_V6 = ['2000::/3']
const CLOSED_V6 = [
  '2001::/23', // protocol assignments, including Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: embeds an arbitrary IPv4 address
  '2620:4f:8000::/48',
  '3fff::/20', // documentation
]

type Family = 'ipv4' | 'ipv6'
const familyOf = (address: string): Family => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Adds an address or a CIDR; returns false when it is neither. */
export function addRange(list: BlockList, text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more !== undefined) return false
  if (bits === undefined) {
    list.addAddress(address, familyOf(address))
    return true
  }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return false
  list.addSubnet(address, Number(bits), familyOf(address))
  return true
}

function rangesOf(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) addRange(list, text)
  return list
}

const closedV4 = rangesOf(CLOSED_V4)
const openV6 = rangesOf(OPEN_V6)
const closedV6 = rangesOf(CLOSED_V6)

/** The eight groups of an IPv6 address in any notation. */
export function groupsOf(address: string): number[] {
  // The URL parser normalizes every notation, including a dotted tail, to hexadecimal groups.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = text.split('::')
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  if (tail === undefined) return read(head)
  const [first, last] = [read(head), read(tail)]
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}

/** RFC 4291 §2.5.5.2 (mapped) and RFC 6052 §2.1 (NAT64): the embedded IPv4 address. */
function embeddedV4(address: string): string | null {
  const [a, b, c, d, e, f, g = 0, h = 0] = groupsOf(address)
  const zero = (...groups: unknown[]) => groups.every((group) => group === 0)
  const mapped = zero(a, b, c, d, e) && f === 0xffff
  const nat64 = a === 0x64 && b === 0xff9b && zero(c, d, e, f)
  return mapped || nat64 ? [g >> 8, g & 255, h >> 8, h & 255].join('.') : null
}

/** The address in canonical form: without its zone, and as IPv4 if it embeds one. */
export function plainAddress(address: string): string {
  const bare = address.replace(/%.*/, '')
  return isIP(bare) === 6 ? (embeddedV4(bare) ?? bare) : bare
}

export const contains = (list: BlockList, address: string): boolean =>
  list.check(address, familyOf(address))

/** On the public internet. Expects the result of `plainAddress`. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !contains(closedV4, address)
  return isIP(address) === 6 && contains(openV6, address) && !contains(closedV6, address)
}
