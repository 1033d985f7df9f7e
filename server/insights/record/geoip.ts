import { readFile, stat } from 'node:fs/promises'
import { isIP, isIPv6 } from 'node:net'
import { type CityResponse, Reader } from 'mmdb-lib'
import { messageOf, OperatorError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { isPublic, plainAddress } from '../../platform/outbound/addresses.ts'

/** The `geoip` of an event; members unknown to the database are omitted. */
interface GeoIp {
  country_code?: string
  continent_code?: string
  region_code?: string
  region_name?: string
  city?: string
  timezone?: string
  latitude?: number
  longitude?: number
}

/** Operators replace the file about once a week, so a minute's delay is fine. */
const LOOK_EVERY_MS = 60_000
/** Cached lookups: addresses repeat, and a page load is many requests. */
const MAX_REMEMBERED = 10_000

/** The address if it is public; IPv4-mapped IPv6 becomes IPv4. */
function publicAddress(text: string): string | null {
  if (isIP(text.replace(/%.*/, '')) === 0) return null
  const address = plainAddress(text)
  return isPublic(address) ? address : null
}

function placeOf(found: CityResponse | null): GeoIp | undefined {
  if (!found) return undefined
  const { country, continent, subdivisions, city, location } = found
  const region = subdivisions?.[0]
  const place = {
    country_code: country?.iso_code,
    continent_code: continent?.code,
    region_code: region?.iso_code,
    region_name: region?.names?.en,
    city: city?.names?.en,
    timezone: location?.time_zone,
    latitude: location?.latitude,
    longitude: location?.longitude,
  }
  const known = Object.entries(place).filter(([, value]) => value !== undefined)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as GeoIp)
}

async function versionOf(path: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path)
  return `${ino} ${size} ${mtimeMs}`
}

/** MaxMind DB File Format 2.0, "Database Metadata": its start marker. */
const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

async function load(path: string): Promise<Reader<CityResponse>> {
  const bytes = await readFile(path)
  if (!bytes.includes(MARK, Math.max(0, bytes.length - 131_072)))
    throw new Error('it is not a MaxMind database (.mmdb)')
  return new Reader<CityResponse>(bytes)
}

/** A MaxMind database in memory; lookups read no file. */
export class GeoIpDatabase {
  readonly #path: string
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout
  #reader: Reader<CityResponse>
  #version: string
  #problem = ''
  readonly #remembered = new Map<string, GeoIp | undefined>()

  private constructor(path: string, log: Logger, version: string, reader: Reader<CityResponse>) {
    this.#path = path
    this.#log = log
    this.#version = version
    this.#reader = reader
    this.#timer = setInterval(() => this.refresh(), LOOK_EVERY_MS).unref()
  }

  static async open(path: string, log: Logger): Promise<GeoIpDatabase> {
    try {
      // Before the content: a file replaced in between is then read again, not missed.
      const version = await versionOf(path)
      return new GeoIpDatabase(path, log, version, await load(path))
    } catch (error) {
      throw new OperatorError(
        `GATEHOUSE_GEOIP_DATABASE: ${path} cannot be used: ${messageOf(error)}`,
        { cause: error },
      )
    }
  }

  /** Loads a replaced file; an unreadable one leaves the last good one in place. */
  async refresh(): Promise<void> {
    try {
      const version = await versionOf(this.#path)
      if (version === this.#version) return
      const reader = await load(this.#path)
      this.#version = version
      this.#reader = reader
      this.#problem = ''
      this.#remembered.clear()
      this.#log.info({ built: reader.metadata.buildEpoch }, 'the GeoIP database was replaced')
    } catch (error) {
      this.#complain(error)
    }
  }

  /** Never throws: a damaged database must not fail the action that records an event. */
  lookup(ip: string): GeoIp | undefined {
    if (this.#remembered.has(ip)) return this.#remembered.get(ip)
    let place: GeoIp | undefined
    try {
      place = this.#find(ip)
    } catch (error) {
      this.#complain(error)
    }
    // Clearing is cheaper than LRU bookkeeping, and a lookup is cheap.
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(ip, place)
    return place
  }

  #find(ip: string): GeoIp | undefined {
    const address = publicAddress(ip)
    if (address === null) return undefined
    // In an IPv4-only database, the first bits of an IPv6 address would match an unrelated record.
    if (this.#reader.metadata.ipVersion === 4 && isIPv6(address)) return undefined
    return placeOf(this.#reader.get(address))
  }

  /** Logs each reason once, not every minute. */
  #complain(error: unknown): void {
    const reason = messageOf(error)
    if (reason === this.#problem) return
    this.#problem = reason
    this.#log.warn({ reason }, 'the GeoIP database cannot be read')
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
