/** The members of an event's `useragent`; parts that cannot be told are left out. */
export interface UserAgent {
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

// Most specific first: Edge and Opera call themselves Chrome, and everybody Mozilla and Safari.
const PRODUCTS = /\b(Edg|OPR|Firefox|Chrome|CriOS|FxiOS)\/([\d.]+)/
const SAFARI = /Version\/([\d.]+).*Safari/
const FIRST = /^([\w.+-]+)\/(\S+)/
const NAMES: Record<string, string> = {
  Edg: 'Edge',
  OPR: 'Opera',
  CriOS: 'Chrome',
  FxiOS: 'Firefox',
}
const SYSTEMS: [RegExp, string][] = [
  [/Windows NT ([\d.]+)/, 'Windows'],
  [/Android ([\d.]+)/, 'Android'],
  [/iPhone OS ([\d_]+)/, 'iOS'],
  [/Mac OS X ([\d_.]+)/, 'Mac OS X'],
  [/CrOS \S+ ([\d.]+)/, 'Chrome OS'],
  [/(?:Linux|X11)()/, 'Linux'],
]

export function parseUserAgent(text: string | undefined): UserAgent | undefined {
  if (!text) return undefined
  const product = PRODUCTS.exec(text)
  const safari = product ? null : SAFARI.exec(text)
  const first = FIRST.exec(text)
  const name = product
    ? (NAMES[product[1]!] ?? product[1])
    : safari
      ? 'Safari'
      : (first?.[1] ?? text.slice(0, 64))
  const version = product?.[2] ?? safari?.[1] ?? first?.[2]
  const [major, minor, patch] = version?.split('.') ?? []
  const system = SYSTEMS.map(([pattern, os]) => ({ match: pattern.exec(text), os })).find(
    ({ match }) => match,
  )
  const osVersion = system?.match?.[1]?.replaceAll('_', '.')
  return {
    ...(name && { name }),
    ...(version && { version }),
    ...(major && { major }),
    ...(minor && { minor }),
    ...(patch && { patch }),
    ...(system && { os: system.os, os_name: system.os }),
    ...(osVersion && { os_version: osVersion }),
    device: system?.os === 'Mac OS X' ? 'Mac' : 'Other',
  }
}
