import Bowser from 'bowser'

/** The members of an event's `useragent`; unknown parts are omitted. */
interface UserAgent {
  name?: string
  version?: string
  major?: string
  minor?: string
  patch?: string
  os?: string
  os_name?: string
  os_version?: string
  device?: string
}

/** Longer headers are truncated: the identifying parts come first, and parsing time grows with length. */
const MAX_LENGTH = 512
/** Bounds the cache; clients send the same header with every request. */
const MAX_REMEMBERED = 1000

/** Names that collectors expect instead of the parser's. */
const NAMES: Readonly<Record<string, string>> = { 'Microsoft Edge': 'Edge', macOS: 'Mac OS X' }
const named = (name: string | undefined): string | undefined =>
  name !== undefined && Object.hasOwn(NAMES, name) ? NAMES[name] : name

/** `curl/8.5.0`: clients other than browsers start with their product. */
const PRODUCT = /^([\w.+-]+)\/(\S+)/

function deviceOf({ type, model }: Bowser.Parser.PlatformDetails, os: string | undefined): string {
  if (model) return model
  if (os === 'Mac OS X') return 'Mac'
  return type === 'bot' ? 'Spider' : 'Other'
}

function parse(text: string): UserAgent {
  const { browser, os, platform } = Bowser.parse(text)
  const product = PRODUCT.exec(text)
  const name = named(browser.name || undefined) ?? product?.[1] ?? text.slice(0, 64)
  const version = (browser.name ? browser.version : product?.[2]) ?? ''
  const [major, minor, patch] = version.split('.')
  const system = named(os.name)
  const osVersion = os.version?.replace(/^NT /, '')
  return {
    name,
    ...(version && { version }),
    ...(major && { major }),
    ...(minor && { minor }),
    ...(patch && { patch }),
    ...(system && { os: system, os_name: system }),
    ...(osVersion && { os_version: osVersion }),
    device: deviceOf(platform, system),
  }
}

const wordsOf = (...parts: (string | undefined)[]): string => parts.filter((part) => part).join(' ')

/** For people, such as "Firefox 140" and "Linux"; empty where unknown. */
export function describeDevice(header: string | null): { browser: string; system: string } {
  const agent = parseUserAgent(header ?? undefined)
  return {
    browser: wordsOf(agent?.name, agent?.major),
    system: wordsOf(agent?.os_name, agent?.os_version),
  }
}

const remembered = new Map<string, UserAgent>()

export function parseUserAgent(header: string | undefined): UserAgent | undefined {
  if (!header) return undefined
  const text = header.slice(0, MAX_LENGTH)
  const known = remembered.get(text)
  if (known) return known
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  const parsed = parse(text)
  remembered.set(text, parsed)
  return parsed
}
