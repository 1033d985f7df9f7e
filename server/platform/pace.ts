/** How long one piece of work may keep everybody else waiting. A small request waits for some ten of them, one at each of its steps. */
const MAX_BUSY_MS = 0.5
/** The steps of a small request, such as a search for ten events. It does not queue behind large ones. */
const SMALL_STEPS = 16
/** A request whose few steps are this long is no small one. */
const MAX_SMALL_MS = 8 * MAX_BUSY_MS

/** One goes on in each round of the event loop: a dozen searches must not hold up a small request twelve times as long. */
const waiting: (() => void)[] = []

function letNextGoOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(letNextGoOn)
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letNextGoOn)
  })

/** Lets other requests run in between, and stops work that nobody waits for any more. */
export class Pace {
  readonly #check: () => void
  #since = performance.now()
  #steps = 0

  /** `check` throws when the work should stop. */
  constructor(check: () => void = () => {}) {
    this.#check = check
  }

  /** Between two steps, each of which is short. */
  breathe(): Promise<void> | undefined {
    const isSmall = ++this.#steps <= SMALL_STEPS
    const busy = performance.now() - this.#since
    return busy < (isSmall ? MAX_SMALL_MS : MAX_BUSY_MS) ? undefined : this.#turn()
  }

  /** Runs steps to their end. */
  async through<T>(steps: Generator<unknown, T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      const wait = this.breathe()
      if (wait) await wait
    }
  }

  async #turn(): Promise<void> {
    await turn()
    this.#since = performance.now()
    this.#check()
  }
}
