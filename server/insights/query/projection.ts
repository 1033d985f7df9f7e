type Json = Record<string, unknown>
/** A map, not an object: `__proto__` is a name that clients may send. */
type Tree = Map<string, Tree | true>

/** `a.b` and `a.c` become one walk; a parent named as a whole swallows its children. */
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

/** The named fields only, children under their parents; what an event does not have is left out. */
export function projector(fields: string[]): (document: Json) => Json {
  const tree = treeOf(fields)
  return (document) => (pick(document, tree) ?? {}) as Json
}
