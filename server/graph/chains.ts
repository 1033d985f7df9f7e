import { canAssociate, groupTypeOf, type NodeType } from './pairs.ts'

/** The types along a way through the graph, from the one who asks to what is reached. */
export type Chain = readonly [NodeType, NodeType, ...NodeType[]]

/**
 * Every kind of way between two types: up into a group of the start, across one association, down into the members of
 * a group. No way is longer than three edges, so a traversal needs no recursion.
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
