import type { System } from './schema.ts'

/** Members stored as JSON, with the defaults of a system that has not reported yet. */
const DETAIL_DEFAULTS = {
  agentHasFullDiskAccess: false,
  allowMultiFactorAuthentication: false,
  allowPublicKeyAuthentication: true,
  allowSshPasswordAuthentication: true,
  allowSshRootLogin: false,
  amazonInstanceID: '',
  archFamily: '',
  azureAdJoined: false,
  connectionHistory: [],
  desktopCapable: false,
  displayManager: '',
  domainInfo: { domainName: '', partOfDomain: false },
  fde: { active: false, keyPresent: false },
  fileSystem: null,
  hasServiceAccount: false,
  hwVendor: '',
  isPolicyBound: false,
  mdm: { dep: false, enrollmentType: 'unknown', userApproved: false, vendor: 'none' },
  modifySSHDConfig: false,
  networkInterfaces: [],
  osVersionDetail: {},
  policyStats: { duplicate: 0, failed: 0, pending: 0, success: 0, total: 0, unsupportedOs: 0 },
  remoteAssistAgentVersion: '',
  secureLogin: { enabled: false, supported: false },
  serviceAccountState: {
    hasSecureToken: false,
    passwordAPFSValid: false,
    passwordODValid: false,
  },
  sshRootEnabled: false,
  sshdParams: [],
  systemInsights: { state: 'deferred' },
  systemTimezone: 0,
  tags: [],
  templateName: '',
  userMetrics: [],
} as const satisfies Partial<System>

export type Details = { -readonly [Name in keyof typeof DETAIL_DEFAULTS]?: System[Name] }

type Kind = 'string' | 'number' | 'boolean'
const KINDS = new Set<string>(['string', 'number', 'boolean'])

function walk(value: unknown, path: string[], found: [string[], Kind, unknown][]) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) walk(member, [...path, name], found)
  } else if (KINDS.has(typeof value)) found.push([path, typeof value as Kind, value])
}

/** Detail fields that lists may filter and sort by: every scalar, by its dotted name. */
export const DETAIL_FIELDS: readonly (readonly [string[], Kind, unknown])[] = (() => {
  const found: [string[], Kind, unknown][] = [
    [['fileSystem'], 'string', null],
    ...['distributionName', 'major', 'minor', 'osName', 'patch', 'releaseName', 'version'].map(
      (name): [string[], Kind, unknown] => [['osVersionDetail', name], 'string', null],
    ),
    ...['majorNumber', 'minorNumber', 'patchNumber'].map((name): [string[], Kind, unknown] => [
      ['osVersionDetail', name],
      'number',
      null,
    ]),
    [['mdm', 'profileIdentifier'], 'string', null],
    [['mdm', 'providerId'], 'string', null],
  ]
  walk(DETAIL_DEFAULTS, [], found)
  return found
})()

/** Nested objects are merged with their defaults too. */
export function withDefaults(details: Details): System extends infer S ? Partial<S> : never {
  const merged: Record<string, unknown> = { ...DETAIL_DEFAULTS }
  for (const [name, value] of Object.entries(details)) {
    const base = merged[name]
    const nested =
      typeof value === 'object' && value !== null && !Array.isArray(value) && base !== null
    merged[name] = nested ? { ...(base as object), ...value } : value
  }
  return merged as Partial<System>
}
