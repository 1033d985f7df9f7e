import { canAssociate, groupTypeOf, type NodeType } from './pairs.ts'

/** The node types along a path, from the start of a traversal to its end. */
export type Chain = readonly [NodeType, NodeType, ...NodeType[]]

/**
 * All chains between two types: optionally up into a group of the start, across one association, optionally down into
 * the members of a group. No path is longer than three edges, so a traversal needs no recursion.
 */
export function chainsBetween(start: NodeType, end: NodeType): Chain[] {
  const upper = [start, groupTypeOf(start)]
  const lower = [end, groupTypeOf(end)]
  return upper.flatMap((from) =>
    lower.flatMap((to) => {
      if (!from || !to || !canAssociate(from, to)) return []
      const chain = [start, ...(from === start ? [] : [from]), ...(to === end ? [] : [to]), end]
      return [chain as unknown as Chain]
    }),
  )
}
