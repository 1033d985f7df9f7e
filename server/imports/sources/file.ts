import { decode } from './decode.ts'
import { SourceFailure } from './failures.ts'
import { readRecords } from './records.ts'
import type { FileSettings } from './settings.ts'
import type { ReadOptions, Source, SourceDependencies, SourceRecord } from './source.ts'

export class FileReader implements Source {
  readonly #settings: FileSettings
  readonly #dependencies: SourceDependencies

  constructor(settings: FileSettings, dependencies: SourceDependencies) {
    this.#settings = settings
    this.#dependencies = dependencies
  }

  async *read({ query, signal }: ReadOptions = {}): AsyncGenerator<SourceRecord[]> {
    const { readFile } = this.#dependencies
    if (!readFile) throw new SourceFailure('misconfigured', 'No file was uploaded')
    if (query) throw new SourceFailure('misconfigured', 'A file cannot be queried')
    for await (const batch of readRecords(
      decode(readFile(), this.#settings.charset),
      this.#settings,
    )) {
      signal?.throwIfAborted()
      yield batch
    }
  }
}
