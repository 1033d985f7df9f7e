import type { GraphConnection } from './schema.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const key = (value: unknown) => JSON.stringify(value)

/** Lists are concatenated without duplicates, objects merged, booleans combined with OR: a right that one path grants is not revoked by another. */
function merged(a: unknown, b: unknown): unknown {
  if (a === undefined || a === null) return b
  if (b === undefined || b === null) return a
  if (Array.isArray(a) && Array.isArray(b)) {
    const known = new Set(a.map(key))
    return [...a, ...b.filter((item) => !known.has(key(item)))]
  }
  if (isObject(a) && isObject(b)) return mergedObject(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return a || b
  return b
}

const mergedObject = (a: Json, b: Json): Json =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((name) => [
      name,
      merged(
        Object.hasOwn(a, name) ? a[name] : undefined,
        Object.hasOwn(b, name) ? b[name] : undefined,
      ),
    ]),
  )

/** The attributes of all nodes and edges on all paths to one node, merged. */
export function compileAttributes(paths: GraphConnection[][]): Json {
  let compiled: Json = {}
  for (const { attributes, to } of paths.flat()) {
    if (attributes) compiled = mergedObject(compiled, attributes as Json)
    if (to.attributes) compiled = mergedObject(compiled, to.attributes as Json)
  }
  return compiled
}
