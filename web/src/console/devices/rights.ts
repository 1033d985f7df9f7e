export type Right = 'standard' | 'sudo' | 'sudo-without-password'

export const RIGHTS: Record<Right, string> = {
  standard: 'Standard user',
  sudo: 'Administrator',
  'sudo-without-password': 'Administrator, no password',
}

interface Sudo {
  enabled?: boolean
  withoutPassword?: boolean
}

/** The right that attributes of an association stand for. */
export function rightOf(attributes: Record<string, unknown> | null): Right {
  const sudo = attributes?.sudo as Sudo | null | undefined
  if (!sudo?.enabled) return 'standard'
  return sudo.withoutPassword ? 'sudo-without-password' : 'sudo'
}

export const attributesOf = (right: Right) => ({
  sudo: { enabled: right !== 'standard', withoutPassword: right === 'sudo-without-password' },
})
