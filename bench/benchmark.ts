export interface Settings {
  rounds: number
  seconds: number
  /** Events that `insights` and `web` search. */
  events: number
  /** Accounts that `provisioning` pushes; `imports` reads five times as many. */
  people: number
  /** The same number where it was asked for: so many users for `web`, and for `directory`, which then has no groups. */
  users: number | null
  /** Directory for a CPU profile of the service; null for none. */
  profileDir: string | null
  /** Directory that keeps slow-to-load data for the next run; null deletes it after this one. */
  dataDir: string | null
}

export interface Row {
  name: string
  unit: string
  baseline: number | null
  ours: number
  ratio: number | null
  /** Ratios far above one are shown as multiples. */
  multiple?: true
  goal: string
  met: boolean
  rounds: unknown
}

/** One or more rows of the table, selected by `npm run bench -- name`. */
export interface Benchmark {
  name: string
  run(settings: Settings): Promise<Row[]>
}

export const profileFlags = ({ profileDir }: Settings): string[] =>
  profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]

export const multiple = (ratio: number): string => `${ratio.toFixed(1)}x`
export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`

/** A result with a limit instead of a baseline. */
export const atMost = (
  name: string,
  unit: string,
  ours: number,
  max: number,
  rounds: Row['rounds'] = [],
): Row => ({
  name,
  unit,
  baseline: null,
  ours,
  ratio: null,
  goal: `at most ${max}`,
  met: ours <= max,
  rounds,
})
