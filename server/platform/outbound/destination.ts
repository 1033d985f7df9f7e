import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { codeOf } from '../errors.ts'
import { plainAddress } from './addresses.ts'
import { type Allowlist, plainHost } from './allowlist.ts'
import { OutboundError } from './errors.ts'

export interface Address {
  address: string
  family: number
}
/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<Address[]>

export const resolveByDns: Resolve = (host) => lookup(host, { all: true })

/** Checked, with the addresses that the connection is then bound to. */
export interface Destination {
  url: URL
  /** Without the brackets of an IPv6 address. */
  host: string
  addresses: Address[]
}

/** Everything about an address that can be told without asking anybody. */
export function readUrl(text: string | URL): URL {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw new OutboundError('bad_url', 'The address must start with https://')
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('bad_url', 'The address must not hold a user name or password')
  return url
}

const bareHost = (url: URL): string => plainHost(url.hostname.replace(/^\[|\]$/g, ''))

async function addressesOf(host: string, resolve: Resolve): Promise<Address[]> {
  const version = isIP(host)
  if (version !== 0) return [{ address: host, family: version }]
  try {
    const found = await resolve(host)
    if (found.length > 0) return found
  } catch (error) {
    if (codeOf(error) === 'EAI_AGAIN')
      throw new OutboundError('unknown_host', `The name ${host} could not be looked up`, error)
    throw new OutboundError('unknown_host', `There is no host named ${host}`, error)
  }
  throw new OutboundError('unknown_host', `The host ${host} has no address`)
}

/**
 * Resolves once. Every address is checked, not only the one that would be tried first: a name that leads inside
 * by one of its addresses is refused as a whole.
 */
export async function findDestination(
  url: URL,
  allowlist: Allowlist,
  resolve: Resolve,
): Promise<Destination> {
  const host = bareHost(url)
  const addresses = await addressesOf(host, resolve)
  for (const { address } of addresses) {
    if (allowlist.admits(host, plainAddress(address))) continue
    const leads = address === host ? `${host} is` : `${host} leads to ${address}, which is`
    throw new OutboundError(
      'refused_address',
      `${leads} not an address of the open internet; GATEHOUSE_OUTBOUND_ALLOW can allow it`,
    )
  }
  const named = allowlist.hasHost(host)
  const allowed = ({ address }: Address) => allowlist.hasAddress(plainAddress(address))
  if (url.protocol === 'http:' && !named && !addresses.every(allowed)) {
    throw new OutboundError(
      'bad_url',
      `http:// is not encrypted: use https://, or allow ${host} in GATEHOUSE_OUTBOUND_ALLOW`,
    )
  }
  return { url, host, addresses }
}
