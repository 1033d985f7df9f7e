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
/** Resolves all addresses of a host name. */
export type Resolve = (host: string) => Promise<Address[]>

export const resolveByDns: Resolve = (host) => lookup(host, { all: true })

/** A checked destination, with the addresses that the connection is pinned to. */
export interface Destination {
  url: URL
  /** IPv6 addresses without brackets. */
  host: string
  addresses: Address[]
}

/** Checks of a URL that need no lookup. */
export function readUrl(text: string | URL): URL {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw new OutboundError('bad_url', 'The URL must start with https://')
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('bad_url', 'The URL must not contain a user name or password')
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
      throw new OutboundError('unknown_host', `Could not resolve ${host}`, error)
    throw new OutboundError('unknown_host', `Unknown host ${host}`, error)
  }
  throw new OutboundError('unknown_host', `The host ${host} has no address`)
}

/**
 * Resolves once and checks every address, not only the first: a name is rejected if any of its addresses is not
 * public.
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
    const leads = address === host ? `${host} is` : `${host} resolves to ${address}, which is`
    throw new OutboundError(
      'refused_address',
      `${leads} not a public address; GATEHOUSE_OUTBOUND_ALLOW can allow it`,
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
