import { joinAuth, ScimClient, ScimProvider } from '../../scim/index.ts'
import { Attempts } from './attempts.ts'
import { asSourceFailure } from './failures.ts'
import { excerptOf } from './json.ts'
import { batchesOf } from './records.ts'
import type { ScimSettings } from './settings.ts'
import type { ReadOptions, Source, SourceDependencies, SourceRecord } from './source.ts'

const BATCH = 100

/** Repeats a request that failed, so that a list is continued and not begun again. */
class PatientProvider extends ScimProvider {
  readonly #options: ReadOptions
  readonly #dependencies: SourceDependencies

  constructor(
    options: ReadOptions,
    dependencies: SourceDependencies,
    provider: ConstructorParameters<typeof ScimProvider>[0],
  ) {
    super(provider)
    this.#options = options
    this.#dependencies = dependencies
  }

  override async send(...request: Parameters<ScimProvider['send']>) {
    const attempts = new Attempts(this.#options, this.#dependencies.wait)
    for (;;)
      try {
        this.#options.signal?.throwIfAborted()
        return await super.send(...request)
      } catch (error) {
        await attempts.after(error)
      }
  }
}

const unusable = (entry: unknown): SourceRecord => ({
  problem: 'a user has no usable id',
  excerpt: excerptOf(JSON.stringify(entry)),
})

const both = (one: string | null, other: string | undefined): string | undefined =>
  one && other ? `(${one}) and (${other})` : one || other || undefined

export class ScimReader implements Source {
  readonly #settings: ScimSettings
  readonly #secret: string
  readonly #dependencies: SourceDependencies

  constructor(settings: ScimSettings, secret: string | null, dependencies: SourceDependencies) {
    this.#settings = settings
    this.#secret = secret ?? ''
    this.#dependencies = dependencies
  }

  async *read(options: ReadOptions = {}): AsyncGenerator<SourceRecord[]> {
    const { baseUrl, auth, filter, limits } = this.#settings
    const { outbound, throttleKey, now, quirks, onQuirk } = this.#dependencies
    const provider = new PatientProvider(options, this.#dependencies, {
      outbound,
      throttleKey,
      connection: {
        baseUrl,
        auth: joinAuth(auth, this.#secret),
        concurrency: 1,
        ...(limits.perSecond !== null && { perSecond: limits.perSecond }),
      },
      ...(now && { now }),
      ...(quirks && { quirks }),
      ...(onQuirk && { onQuirk }),
    })
    let batch: SourceRecord[] = []
    const users = new ScimClient(provider).list('User', {
      filter: both(filter, options.query),
      onUnusable: (entry) => batch.push(unusable(entry)),
    })
    try {
      for await (const record of users) {
        batch.push({ record })
        if (batch.length < BATCH) continue
        yield* batchesOf(batch)
        batch = []
      }
    } catch (error) {
      throw asSourceFailure(error)
    }
    yield* batchesOf(batch)
  }
}
