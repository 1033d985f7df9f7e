import type { Logger } from './platform/log.ts'

/** Reports the steps of a start with their times: as plain lines on a terminal, otherwise in the log. */
export class Steps {
  readonly #log: Logger
  readonly #terminal: boolean

  constructor(log: Logger, terminal: boolean) {
    this.#log = log
    this.#terminal = terminal
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    if (this.#terminal) process.stdout.write(`  ${name} …\n`)
    const result = await work()
    const ms = Math.round(performance.now() - began)
    if (this.#terminal) process.stdout.write(`  ${name}: ${(ms / 1000).toFixed(1)} s\n`)
    else this.#log.info({ step: name, ms }, 'step done')
    return result
  }

  /** A detail of the step that runs. */
  note(line: string): void {
    if (this.#terminal) process.stdout.write(`    ${line}\n`)
    else this.#log.info({}, line)
  }
}
