import { isId } from '../ids.ts'
import { ListIndex } from './list-index.ts'
import { type Path, readPath } from './paths.ts'
import { MAX_WORK } from './schema.ts'
import { fold, TOO_COSTLY, type Usable, usable, workFor } from './values.ts'

export interface MappingContext {
  /** The groups of the user that the record is about. */
  groups: readonly { id: string; name: string }[]
}

/** A text in the form of an id is only an id: a group must not match because it is named like another one's id. */
export const groupKey = (group: string): string => (isId(group) ? group : fold(group))

/** One record while the rules of a mapping run. Paths are the same objects for the same text: each is read once. */
export class Scope {
  readonly #record: unknown
  /** Why the current rule cannot have a value. */
  problem: string | undefined
  readonly #context: MappingContext
  readonly #index = new ListIndex((characters) => this.spend(characters))
  readonly #found = new Map<Path, unknown>()
  readonly #usable = new Map<Path, Usable>()
  readonly #folded = new Map<Path, string[]>()
  #groups: Set<string> | undefined
  #left = MAX_WORK

  constructor(record: unknown, context: MappingContext) {
    this.#record = record
    this.#context = context
  }

  /** Whether the rules have used up the work that one record may take. */
  get isSpent(): boolean {
    return this.#left < 0
  }

  /** Before the work. */
  spend(characters: number): void {
    this.#left -= characters
    if (this.isSpent) this.problem = TOO_COSTLY
  }

  /** What is at a path, of any type. */
  find(path: Path): unknown {
    if (!this.#found.has(path)) {
      this.spend(1)
      this.#found.set(path, this.isSpent ? undefined : readPath(path, this.#record, this.#index))
    }
    return this.#found.get(path)
  }

  value(path: Path): Usable {
    const known = this.#usable.get(path) ?? usable(this.find(path))
    this.#usable.set(path, known)
    return known
  }

  /** The value at a path as texts to compare. */
  texts(path: Path): string[] {
    const found = this.value(path)
    const value = 'value' in found ? found.value : undefined
    this.spend(workFor(value))
    if (value === undefined || this.isSpent) return []
    const known = this.#folded.get(path) ?? [value].flat().map(fold)
    this.#folded.set(path, known)
    return known
  }

  isMember(key: string): boolean {
    this.#groups ??= new Set(
      this.#context.groups.flatMap(({ id, name }) => (isId(name) ? [id] : [id, fold(name)])),
    )
    return this.#groups.has(key)
  }

  /** The first problem of a rule is the one that explains it. */
  fail(problem: string): undefined {
    this.problem ??= problem
  }
}
