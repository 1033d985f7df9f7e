type Json = Record<string, unknown>
/** A map, not an object: clients may send the name `__proto__`. */
type Tree = Map<string, Tree | true>

/** Merges `a.b` and `a.c` into one branch; a parent includes its children. */
function treeOf(fields: string[]): Tree {
  const tree: Tree = new Map()
  for (const field of fields) {
    let at = tree
    const parts = field.split('.')
    for (const [index, part] of parts.entries()) {
      const known = at.get(part)
      if (known === true) break
      if (index === parts.length - 1) at.set(part, true)
      else {
        const inner: Tree = known ?? new Map()
        at.set(part, inner)
        at = inner
      }
    }
  }
  return tree
}

function pick(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((one) => pick(one, tree)).filter((one) => one !== undefined)
    return kept.length > 0 ? kept : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const kept: [string, unknown][] = []
  for (const [name, rest] of tree) {
    if (!Object.hasOwn(value, name)) continue
    const member = (value as Json)[name]
    const inner = rest === true ? member : pick(member, rest)
    if (inner !== undefined) kept.push([name, inner])
  }
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

/** Keeps only the named fields, nested as in the event; absent ones are omitted. */
export function projector(fields: string[]): (document: Json) => Json {
  const tree = treeOf(fields)
  return (document) => (pick(document, tree) ?? {}) as Json
}
