import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { type AppError, invalid } from '../errors.ts'
import { type Path, parsePath } from './paths.ts'
import { MAX_DEPTH, MAX_NODES } from './schema.ts'

/** Across all rules. */
interface Tally {
  nodes: number
  /** By their text: rules that read the same path share what they found. */
  paths: Map<string, Path>
}

const MAX_SHOWN = 100

/** `/join/0` as `.join[0]`; shortened, because members that are not known have any name. */
function dotted(pointer: string): string {
  const text = pointer.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** A place in a mapping that is being compiled: checks what is there, and names the place in its errors. */
export class Place {
  readonly #name: string
  readonly #tally: Tally
  readonly #depth: number
  /** The paths that the rule reads. */
  readonly sources: Set<string>

  constructor(
    name: string,
    tally: Tally = { nodes: 0, paths: new Map() },
    sources = new Set<string>(),
    depth = 0,
  ) {
    this.#name = name
    this.#tally = tally
    this.#depth = depth
    this.sources = sources
  }

  rule(at: number): Place {
    return new Place(`${this.#name}[${at}]`, this.#tally)
  }

  /** An expression or a condition below this place. */
  inside(member: string): Place {
    const { sources } = this
    const place = new Place(`${this.#name}.${member}`, this.#tally, sources, this.#depth + 1)
    if (place.#depth > MAX_DEPTH) throw place.error(`is nested deeper than ${MAX_DEPTH} levels`)
    place.count(1)
    return place
  }

  count(nodes: number): void {
    this.#tally.nodes += nodes
    if (this.#tally.nodes > MAX_NODES)
      throw this.error(`the mapping has more than ${MAX_NODES} expressions, conditions and values`)
  }

  error(message: string, member = ''): AppError {
    return invalid('bad_mapping', `${this.#name}${member}: ${message}`)
  }

  check(schema: TSchema, raw: unknown): void {
    if (Value.Check(schema, raw)) return
    const [first] = Value.Errors(schema, raw)
    const message = first?.keyword === 'boolean' ? 'is not a known member' : first?.message
    throw this.error(message ?? 'is not valid', dotted(first?.instancePath ?? ''))
  }

  /** The form of an expression or a condition, by the one member that names it. */
  formOf<Forms extends Record<string, TSchema>>(forms: Forms, raw: object): keyof Forms {
    const found = Object.keys(forms).filter((name) => Object.hasOwn(raw, name))
    const [form] = found
    if (form === undefined || found.length > 1)
      throw this.error(`must have exactly one of ${Object.keys(forms).join(', ')}`)
    this.check(forms[form]!, raw)
    return form
  }

  path(text: string, member: string): Path {
    const path = this.#tally.paths.get(text) ?? parsePath(text)
    if (!path)
      throw this.error('must be a path such as a.b, a[0].b or a[type eq "work"].b', `.${member}`)
    this.#tally.paths.set(text, path)
    return path
  }

  source(text: string, member: string): Path {
    this.sources.add(text)
    return this.path(text, member)
  }
}
