import { invalid } from '../platform/errors.ts'
import { compileMapping, type Mapping } from '../platform/mapping/index.ts'
import type { Auth, ProvisioningPut, ReconcileMode } from './schema.ts'

/** The settings of a connection without its secret, with all defaults filled in. */
export interface Settings {
  baseUrl: string
  auth: PublicAuth
  mapping: Mapping
  groups: { push: boolean; only: string[] | null }
  deprovision: { action: 'deactivate' | 'delete' | 'delete_after'; days?: number }
  limits: { concurrency: number; perSecond: number | null }
  dryRun: boolean
  removalLimit: { users: number | null; percent: number | null }
  reconcile: { everyHours: number | null; mode: ReconcileMode }
  deprovisionTargetSeconds: number
  requireProvisioned: boolean
}

type PublicAuth =
  | { type: 'bearer' }
  | { type: 'basic'; username: string }
  | { type: 'header'; name: string }
  | { type: 'oauth'; tokenUrl: string; clientId: string; scope?: string }

const DEFAULT_CONCURRENCY = 8
const DEFAULT_REMOVALS = { users: 100, percent: 30 }
/** Below this many removals the percentage does not count: a small organization is not a mistake. */
const MIN_REMOVALS = 10
const DEFAULT_TARGET_SECONDS = 300

/** Separates the secret from the rest, which may be shown. */
export function splitAuth(auth: Auth): { shown: PublicAuth; secret: string | undefined } {
  switch (auth.type) {
    case 'bearer':
      return { shown: { type: 'bearer' }, secret: auth.token }
    case 'basic':
      return { shown: { type: 'basic', username: auth.username }, secret: auth.password }
    case 'header':
      return { shown: { type: 'header', name: auth.name }, secret: auth.value }
    case 'oauth': {
      const { clientSecret, ...shown } = auth
      return { shown, secret: clientSecret }
    }
  }
}

const hostOf = (url: string): string => new URL(url).origin

/** Where the secret is sent. It must not be redirected to another host by someone who cannot read it. */
export const secretGoesTo = ({ baseUrl, auth }: Pick<Settings, 'baseUrl' | 'auth'>): string =>
  `${auth.type} ${hostOf(auth.type === 'oauth' ? auth.tokenUrl : baseUrl)} ${hostOf(baseUrl)}`

const FORBIDDEN_HEADERS = new Set(['host', 'content-length', 'connection', 'transfer-encoding'])

/** A full replace: absent members get their defaults. */
export function readSettings(body: ProvisioningPut, defaultMapping: Mapping): Settings {
  for (const [field, url] of [
    ['baseUrl', body.baseUrl],
    ...(body.auth.type === 'oauth' ? [['auth.tokenUrl', body.auth.tokenUrl]] : []),
  ] as [string, string][])
    if (!URL.canParse(url) || new URL(url).username !== '' || new URL(url).password !== '')
      throw invalid('bad_url', `${field} must be a URL without user name and password`)
  if (body.auth.type === 'header' && FORBIDDEN_HEADERS.has(body.auth.name.toLowerCase()))
    throw invalid('bad_header', `auth.name: ${body.auth.name} cannot be set`)
  const mapping = body.mapping ?? defaultMapping
  compileMapping(mapping)
  if (!mapping.some(({ target }) => target === 'userName'))
    throw invalid('mapping_incomplete', 'mapping must have a rule for userName')
  const deprovision = body.deprovision ?? { action: 'deactivate' as const }
  if ((deprovision.action === 'delete_after') !== (deprovision.days !== undefined))
    throw invalid(
      'bad_deprovision',
      'deprovision.days is required for delete_after, and only there',
    )
  return {
    baseUrl: body.baseUrl,
    auth: splitAuth(body.auth).shown,
    mapping,
    groups: { push: body.groups?.push ?? false, only: body.groups?.only ?? null },
    deprovision,
    limits: {
      concurrency: body.limits?.concurrency ?? DEFAULT_CONCURRENCY,
      perSecond: body.limits?.perSecond ?? null,
    },
    dryRun: body.dryRun ?? false,
    removalLimit: {
      users: orDefault(body.removalLimit?.users, DEFAULT_REMOVALS.users),
      percent: orDefault(body.removalLimit?.percent, DEFAULT_REMOVALS.percent),
    },
    reconcile: {
      everyHours: body.reconcile?.everyHours ?? null,
      mode: body.reconcile?.mode ?? 'report',
    },
    deprovisionTargetSeconds: body.deprovisionTargetSeconds ?? DEFAULT_TARGET_SECONDS,
    requireProvisioned: body.requireProvisioned ?? false,
  }
}

/** Null switches a limit off. */
const orDefault = (value: number | null | undefined, byDefault: number): number | null =>
  value === undefined ? byDefault : value

/** Whether so many removals at once need the confirmation of an administrator. */
export function needsConfirmation(
  { removalLimit: { users, percent } }: Pick<Settings, 'removalLimit'>,
  removals: number,
  accounts: number,
): boolean {
  if (users !== null && removals > users) return true
  return percent !== null && removals > MIN_REMOVALS && (removals * 100) / accounts > percent
}
