export const BUILT_INS = ['erase', 'lock', 'restart', 'shutdown'] as const
export type BuiltIn = (typeof BUILT_INS)[number]

/** In a minute, so that the answer of the agent still gets out. */
export const BUILT_IN_SCRIPTS: Record<BuiltIn, string> = {
  lock: 'loginctl lock-sessions',
  restart: 'shutdown -r +1',
  shutdown: 'shutdown -h +1',
  // What a shell can reach while the system runs on it would be half an erasure, which is worse than none.
  erase: 'echo "The shell agent cannot erase a disk that it runs from" >&2; exit 1',
}
