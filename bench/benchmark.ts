export interface Settings {
  rounds: number
  seconds: number
  /** Where to put a CPU profile of the service; null for none. */
  profileDir: string | null
  /** Where to keep what takes long to load, for the next run; null: it goes with this one. */
  dataDir: string | null
}

export interface Row {
  name: string
  unit: string
  baseline: number | null
  ours: number
  ratio: number | null
  /** Ratios far above one are told as multiples. */
  multiple?: true
  goal: string
  met: boolean
  rounds: unknown
}

/** One or more rows of the table. The name is what `npm run bench -- name` looks for. */
export interface Benchmark {
  name: string
  run(settings: Settings): Promise<Row[]>
}

export const profileFlags = ({ profileDir }: Settings): string[] =>
  profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]

export const multiple = (ratio: number): string => `${ratio.toFixed(1)}x`
export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
