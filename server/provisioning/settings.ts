import { invalid } from '../platform/errors.ts'
import { compileMapping, type Mapping } from '../platform/mapping/index.ts'
import { checkDestination, type PublicAuth, splitAuth } from '../scim/index.ts'
import type { Adopt, ProvisioningPut, ReconcileMode } from './schema.ts'

/** The settings of a connection without its secret, with all defaults filled in. */
export interface Settings {
  baseUrl: string
  auth: PublicAuth
  mapping: Mapping
  groups: { push: boolean; only: string[] | null }
  deprovision: { action: 'deactivate' | 'delete' | 'delete_after'; days?: number }
  limits: { concurrency: number; perSecond: number | null }
  /** Which accounts that exist already become those of users with their names. */
  adopt: Adopt
  dryRun: boolean
  removalLimit: { users: number | null; percent: number | null }
  reconcile: { everyHours: number | null; mode: ReconcileMode }
  deprovisionTargetSeconds: number
  requireProvisioned: boolean
}

const DEFAULT_CONCURRENCY = 8
const DEFAULT_REMOVALS = { users: 100, percent: 30 }
/** Below this many removals the percentage does not count: a small organization is not a mistake. */
const MIN_REMOVALS = 10
const DEFAULT_TARGET_SECONDS = 300

/** A full replace: absent members get their defaults. */
export function readSettings(body: ProvisioningPut, defaultMapping: Mapping): Settings {
  const destination = { baseUrl: body.baseUrl, auth: splitAuth(body.auth).shown }
  checkDestination(destination)
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
    ...destination,
    mapping,
    groups: { push: body.groups?.push ?? false, only: body.groups?.only ?? null },
    deprovision,
    limits: {
      concurrency: body.limits?.concurrency ?? DEFAULT_CONCURRENCY,
      perSecond: body.limits?.perSecond ?? null,
    },
    adopt: body.adopt ?? 'matching',
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
