export type Level = 'all' | 'some' | 'read' | 'none'

export const LEVELS: Record<Level, string> = {
  all: 'Everything',
  some: 'In part',
  read: 'Read',
  none: 'Nothing',
}

/** What scopes of an area a role holds, in a word. */
export function levelOf(area: string[], held: string[]): Level {
  const has = area.filter((scope) => held.includes(scope))
  if (has.length === area.length) return 'all'
  if (has.length === 0) return 'none'
  return has.every((scope) => scope.endsWith('.readonly')) ? 'read' : 'some'
}
