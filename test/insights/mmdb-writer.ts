import { isIPv4 } from 'node:net'

// Writes small MaxMind databases, by the MaxMind DB File Format Specification 2.0: a binary tree over the bits of
// an address, its records, and the metadata after a marker.

type Value = string | number | boolean | Value[] | { [name: string]: Value }
/** Other numbers are doubles; the metadata needs unsigned integers of fixed sizes. */
class Unsigned {
  readonly type: number
  readonly value: bigint
  constructor(type: number, value: number) {
    this.type = type
    this.value = BigInt(value)
  }
}
type Field = Value | Unsigned | { [name: string]: Field } | Field[]

/** "Output Data Section": the type in the top three bits, or 0 and the type less 7 in the next byte; then the size. */
function control(type: number, size: number): Buffer {
  const sizes =
    size < 29 ? [size] : size < 285 ? [29, size - 29] : [30, (size - 285) >> 8, (size - 285) & 255]
  const [first = 0, ...rest] = sizes
  const bytes = type > 7 ? [first, type - 7, ...rest] : [(type << 5) | first, ...rest]
  return Buffer.from(bytes)
}

function encode(value: Field): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([control(2, bytes.length), bytes])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return Buffer.concat([control(3, 8), bytes])
  }
  if (typeof value === 'boolean') return control(14, value ? 1 : 0)
  if (value instanceof Unsigned) {
    const hex = value.value === 0n ? '' : value.value.toString(16)
    const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
    return Buffer.concat([control(value.type, bytes.length), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  const parts = entries.flatMap(([name, member]) => [encode(name), encode(member)])
  return Buffer.concat([control(7, entries.length), ...parts])
}

function bytesOf(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number)
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const [left, right] = [groups(head), groups(tail ?? '')]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].flatMap((group) => {
    const number = Number.parseInt(group, 16)
    return [number >> 8, number & 255]
  })
}

/** The path of bits to a network. In an IPv6 tree, IPv4 is below ::/96. */
function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', prefix] = network.split('/')
  const bits = bytesOf(address)
    .flatMap((byte) => Array.from({ length: 8 }, (_, at) => (byte >> (7 - at)) & 1))
    .slice(0, Number(prefix))
  return ipVersion === 6 && isIPv4(address) ? [...new Array<number>(96).fill(0), ...bits] : bits
}

interface Node {
  children: (Node | Value | null)[]
}
const isNode = (child: Node | Value | null): child is Node =>
  typeof child === 'object' && child !== null && 'children' in child

/** A database that maps every address of the network to the value. */
export function mmdb(networks: Record<string, Value>, ipVersion: 4 | 6 = 6): Buffer {
  const nodes: Node[] = [{ children: [null, null] }]
  for (const [network, value] of Object.entries(networks)) {
    const bits = bitsOf(network, ipVersion)
    let at = nodes[0]!
    for (const bit of bits.slice(0, -1)) {
      let next = at.children[bit] ?? null
      if (!isNode(next)) {
        next = { children: [null, null] }
        nodes.push(next)
        at.children[bit] = next
      }
      at = next
    }
    at.children[bits.at(-1)!] = value
  }
  const data: Buffer[] = []
  let size = 0
  const numbers = new Map(nodes.map((node, number) => [node, number]))
  // 24-bit records: below the node count a node, equal to it no data, above it a data offset.
  const tree = Buffer.alloc(nodes.length * 6)
  nodes.forEach((node, number) => {
    node.children.forEach((child, side) => {
      let record = nodes.length
      if (isNode(child)) record = numbers.get(child)!
      else if (child !== null) {
        record = nodes.length + 16 + size
        const bytes = encode(child)
        data.push(bytes)
        size += bytes.length
      }
      tree.writeUIntBE(record, number * 6 + side * 3, 3)
    })
  })
  const metadata = encode({
    node_count: new Unsigned(6, nodes.length),
    record_size: new Unsigned(5, 24),
    ip_version: new Unsigned(5, ipVersion),
    database_type: 'Test-City',
    languages: ['en'],
    binary_format_major_version: new Unsigned(5, 2),
    binary_format_minor_version: new Unsigned(5, 0),
    build_epoch: new Unsigned(9, 1_700_000_000),
    description: { en: 'Places for tests' },
  })
  const mark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([tree, Buffer.alloc(16), ...data, mark, metadata])
}
