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
const PRODUCTS: [RegExp, string][] = [
  [/\bEdg\w*\/([\d.]+)/, 'Edge'],
  [/\bOPR\/([\d.]+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/([\d.]+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS)\/([\d.]+)/, 'Chrome'],
  [/Version\/([\d.]+).*Safari/, 'Safari'],
]
const FIRST = /^([\w.+-]+)\/(\S+)/
const SYSTEMS: [RegExp, string][] = [
  [/Windows NT ([\d.]+)/, 'Windows'],
  [/Android ([\d.]+)/, 'Android'],
  [/iPhone OS ([\d_]+)/, 'iOS'],
  [/Mac OS X ([\d_.]+)/, 'Mac OS X'],
  [/CrOS \S+ ([\d.]+)/, 'Chrome OS'],
  [/(?:Linux|X11)()/, 'Linux'],
]

/** The first pattern that fits, with what it captured. */
function firstMatch(
  patterns: [RegExp, string][],
  text: string,
): { name: string; version: string } | undefined {
  for (const [pattern, name] of patterns) {
    const match = pattern.exec(text)
    if (match) return { name, version: match[1] ?? '' }
  }
  return undefined
}

export function parseUserAgent(text: string | undefined): UserAgent | undefined {
  if (!text) return undefined
  const first = FIRST.exec(text)
  const { name, version } = firstMatch(PRODUCTS, text) ?? {
    name: first?.[1] ?? text.slice(0, 64),
    version: first?.[2] ?? '',
  }
  const [major, minor, patch] = version.split('.')
  const system = firstMatch(SYSTEMS, text)
  const osVersion = system?.version.replaceAll('_', '.')
  return {
    name,
    ...(version && { version }),
    ...(major && { major }),
    ...(minor && { minor }),
    ...(patch && { patch }),
    ...(system && { os: system.name, os_name: system.name }),
    ...(osVersion && { os_version: osVersion }),
    device: system?.name === 'Mac OS X' ? 'Mac' : 'Other',
  }
}
