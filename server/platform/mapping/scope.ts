import { isId } from '../ids.ts'
import { fold } from './values.ts'

export interface MappingContext {
  /** The groups of the user that the record is about. */
  groups: readonly { id: string; name: string }[]
}

/** A text in the form of an id is only an id: a group must not match because it is named like another one's id. */
export const groupKey = (group: string): string => (isId(group) ? group : fold(group))

/** One record while the rules of a mapping run. */
export class Scope {
  readonly record: unknown
  /** Why the current rule cannot have a value. */
  problem: string | undefined
  readonly #context: MappingContext
  #groups: Set<string> | undefined

  constructor(record: unknown, context: MappingContext) {
    this.record = record
    this.#context = context
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
