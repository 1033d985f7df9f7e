type Json = Record<string, unknown>
interface Tree {
  [name: string]: Tree | true
}

/** `a.b` and `a.c` become one walk; a parent named as a whole swallows its children. */
function treeOf(fields: string[]): Tree {
  const tree: Tree = {}
  for (const field of fields) {
    let at = tree
    const parts = field.split('.')
    for (const [index, part] of parts.entries()) {
      if (at[part] === true) break
      if (index === parts.length - 1) at[part] = true
      else {
        at[part] ??= {}
        at = at[part] as Tree
      }
    }
  }
  return tree
}

function pick(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((one) => pick(one, tree))
  if (typeof value !== 'object' || value === null) return undefined
  const kept: Json = {}
  for (const [name, rest] of Object.entries(tree)) {
    const member = (value as Json)[name]
    if (member === undefined) continue
    const inner = rest === true ? member : pick(member, rest)
    if (inner !== undefined) kept[name] = inner
  }
  return Object.keys(kept).length > 0 ? kept : undefined
}

/** The named fields only, children under their parents; what an event does not have is left out. */
export function projector(fields: string[]): (document: Json) => Json {
  const tree = treeOf(fields)
  return (document) => (pick(document, tree) ?? {}) as Json
}
