import { invalid } from '../platform/errors.ts'
import { checkScope } from '../platform/rights.ts'

type Attributes = Record<string, unknown> | null | undefined

/** Administrator rights on systems, as edges and groups carry them. */
export function checkSudo(attributes: Attributes): void {
  const sudo = attributes?.sudo
  if (sudo === undefined || sudo === null) return
  const { enabled, withoutPassword } = sudo as Record<string, unknown>
  if (typeof sudo !== 'object' || typeof enabled !== 'boolean')
    throw invalid('bad_sudo', 'attributes.sudo.enabled must be true or false')
  if (typeof withoutPassword !== 'boolean')
    throw invalid('bad_sudo', 'attributes.sudo.withoutPassword must be true or false')
  if (withoutPassword && !enabled)
    throw invalid('bad_sudo', 'attributes.sudo.withoutPassword needs attributes.sudo.enabled')
}

export const sudoEnabled = (attributes: Attributes): boolean =>
  (attributes?.sudo as { enabled?: boolean } | null | undefined)?.enabled === true

const SUDO_SCOPE = 'systems.sudo'

/** None, with the password, without. */
const levelOf = (attributes: Attributes): number => {
  const sudo = attributes?.sudo as { withoutPassword?: boolean } | null | undefined
  if (!sudoEnabled(attributes)) return 0
  return sudo?.withoutPassword === true ? 2 : 1
}

/** Who may give sudo: by scope, through a job that such a one started, or a system that signs, on itself. */
export interface SudoGiver {
  scopes?: ReadonlySet<string>
  mayGiveSudo?: boolean
  systemId?: string
}

export const mayGiveSudo = ({ scopes, systemId, ...job }: SudoGiver): boolean =>
  scopes?.has(SUDO_SCOPE) === true || job.mayGiveSudo === true || systemId !== undefined

export function checkMayGiveSudo(actor: SudoGiver): void {
  if (!mayGiveSudo(actor)) checkScope({}, [SUDO_SCOPE], 'giving sudo')
}

/** To give or widen it takes a right of its own; to keep it, narrow it or take it away does not. */
export function checkSudoGrant(actor: SudoGiver, before: Attributes, after: Attributes): void {
  if (levelOf(after) > levelOf(before)) checkMayGiveSudo(actor)
}
