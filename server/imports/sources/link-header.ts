const PARAMETER = String.raw`\s*;\s*[\w!#$%&'*+.^|~-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?`
// A target holds no other, and each parameter begins with a semicolon.
const LINK = new RegExp(`<([^<>]*)>((?:${PARAMETER})*)`, 'g') // linear: nothing is matched in two ways
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i

/** RFC 8288 §3: the target of rel="next". The first rel of a link counts, and may hold several types. */
export function nextLink(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINK)) {
    const [, quoted, bare] = REL.exec(parameters) ?? []
    const types = (quoted ?? bare ?? '').toLowerCase().split(/\s+/)
    if (types.includes('next')) return target
  }
  return undefined
}
