import { invalid } from '../platform/errors.ts'
import { checkScope } from '../platform/rights.ts'

type Attributes = Record<string, unknown> | null | undefined

/** Validates the `sudo` attribute of edges and groups, administrator rights on systems. Some clients send only `enabled`. */
export function readSudo<T extends Attributes>(attributes: T): T {
  const sudo = attributes?.sudo
  if (sudo === undefined || sudo === null) return attributes
  const { enabled, withoutPassword = false } = sudo as Record<string, unknown>
  if (typeof sudo !== 'object' || typeof enabled !== 'boolean')
    throw invalid('bad_sudo', 'attributes.sudo.enabled must be true or false')
  if (typeof withoutPassword !== 'boolean')
    throw invalid('bad_sudo', 'attributes.sudo.withoutPassword must be true or false')
  if (withoutPassword && !enabled)
    throw invalid('bad_sudo', 'attributes.sudo.withoutPassword needs attributes.sudo.enabled')
  return { ...attributes, sudo: { ...sudo, withoutPassword } }
}

export const sudoEnabled = (attributes: Attributes): boolean =>
  (attributes?.sudo as { enabled?: boolean } | null | undefined)?.enabled === true

const SUDO_SCOPE = 'systems.sudo'

/** 0: none, 1: with a password, 2: without. */
const levelOf = (attributes: Attributes): number => {
  const sudo = attributes?.sudo as { withoutPassword?: boolean } | null | undefined
  if (!sudoEnabled(attributes)) return 0
  return sudo?.withoutPassword === true ? 2 : 1
}

/** May grant sudo: callers with the scope, jobs started by one, and systems that sign requests about themselves. */
export interface SudoGiver {
  scopes?: ReadonlySet<string>
  mayGiveSudo?: boolean
  systemId?: string
}

export const mayGiveSudo = ({ scopes, systemId, ...job }: SudoGiver): boolean =>
  scopes?.has(SUDO_SCOPE) === true || job.mayGiveSudo === true || systemId !== undefined

export function checkMayGiveSudo(actor: SudoGiver): void {
  if (!mayGiveSudo(actor)) checkScope({}, [SUDO_SCOPE], 'granting sudo')
}

/** Granting or widening sudo takes a scope of its own; keeping, narrowing or revoking it does not. */
export function checkSudoGrant(actor: SudoGiver, before: Attributes, after: Attributes): void {
  if (levelOf(after) > levelOf(before)) checkMayGiveSudo(actor)
}
