/** What a header such as Accept or Accept-Encoding names, with its weight (RFC 9110 §12.4.2). */
function weights(header: string): Map<string, number> {
  const found = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
    if (name === '') continue
    const weight = parameters.find((word) => /^q\s*=/.test(word))
    const q = weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1))
    found.set(name, Number.isNaN(q) ? 0 : q)
  }
  return found
}

/** The offer that the header likes most; among equals the first. Undefined when it takes none of them. */
export function preferred<T extends string>(
  header: string | undefined,
  offers: readonly T[],
): T | undefined {
  if (header === undefined) return undefined
  const liked = weights(header)
  const weightOf = (offer: T): number =>
    liked.get(offer) ??
    liked.get(`${offer.split('/')[0]}/*`) ??
    liked.get(offer.includes('/') ? '*/*' : '*') ??
    0
  const best = offers.reduce<T | undefined>(
    (best, offer) => (weightOf(offer) > (best ? weightOf(best) : 0) ? offer : best),
    undefined,
  )
  return best
}
