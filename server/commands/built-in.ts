export const BUILT_INS = ['erase', 'lock', 'restart', 'shutdown'] as const
export type BuiltIn = (typeof BUILT_INS)[number]

/** Restart and shutdown wait a minute so that the agent can still send its result. */
export const BUILT_IN_SCRIPTS: Record<BuiltIn, string> = {
  lock: 'loginctl lock-sessions',
  restart: 'shutdown -r +1',
  shutdown: 'shutdown -h +1',
  // A shell can only erase part of the disk it runs from, and a partial erasure is worse than none.
  erase: 'echo "The shell agent cannot erase the disk it runs from" >&2; exit 1',
}
