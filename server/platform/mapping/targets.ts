import type { Path, Segment } from './paths.ts'

const REFUSED = new Set(['__proto__', 'constructor', 'prototype'])

/** A member name that could reach a prototype where the result is merged or copied. */
export const unsafeName = (path: Path): string | undefined =>
  path
    .map((segment) =>
      typeof segment !== 'object' || 'custom' in segment ? segment : segment.attribute,
    )
    .find((name): name is string => typeof name === 'string' && REFUSED.has(name))

/** What a path makes of the value before this segment. */
function containerOf(segment: Segment | undefined): string {
  if (segment === undefined) return 'a value'
  if (typeof segment === 'string') return 'an object'
  if (typeof segment === 'number') return 'a list by index'
  return 'custom' in segment ? 'custom attributes' : `a list by ${segment.attribute}`
}

/** `Work` and `work` are the same element. */
const keyOf = (path: Path): string =>
  JSON.stringify(
    path.map((segment) =>
      typeof segment === 'object' && 'folded' in segment
        ? { [segment.attribute]: segment.folded }
        : segment,
    ),
  )

/** The targets of a mapping, so that no two contradict each other whatever the record. */
export class Targets {
  readonly #containers = new Map<string, string>()
  readonly #unconditional = new Set<string>()

  /** Adds a target and returns its key, or why it cannot be added. */
  add(path: Path, conditional: boolean): { key: string } | { problem: string } {
    const key = keyOf(path)
    if (this.#unconditional.has(key))
      return { problem: 'an earlier rule without "when" has this target' }
    for (const [at, segment] of path.entries()) {
      const prefix = path.slice(0, at + 1)
      if (typeof segment === 'object' && 'attribute' in segment) {
        // Only the filter sets the member by which it finds the element.
        this.#claim(keyOf(prefix), 'an object')
        this.#claim(keyOf([...prefix, segment.attribute]), 'the literal of a filter')
      }
      const container = containerOf(path[at + 1])
      const known = this.#claim(keyOf(prefix), container)
      if (known !== container)
        return { problem: `needs ${container} where an earlier target or a filter needs ${known}` }
    }
    if (!conditional) this.#unconditional.add(key)
    return { key }
  }

  #claim(key: string, container: string): string {
    const known = this.#containers.get(key) ?? container
    this.#containers.set(key, known)
    return known
  }
}
