const UNITS = [
  [86_400, 'days'],
  [3600, 'hours'],
  [60, 'minutes'],
] as const

/** How far the receiver is behind, in the largest unit of which there are two. */
export function lagOf(seconds: number): string {
  const unit = UNITS.find(([length]) => seconds >= 2 * length)
  return unit ? `${Math.floor(seconds / unit[0])} ${unit[1]}` : `${Math.round(seconds)} s`
}
