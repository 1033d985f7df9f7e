import { invalid } from '../platform/errors.ts'

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
