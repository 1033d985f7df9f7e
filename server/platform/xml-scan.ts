import { type AppError, invalid } from './errors.ts'

// Scans the text of an XML document before a tree is built. Rejects constructs that cost more than linear time to
// process; the scan itself is linear, without backtracking, for any input.

export interface XmlBounds {
  /** Nesting depth of elements. */
  depth: number
  elements: number
  /** In the whole document; below, per element. */
  attributes: number
  elementAttributes: number
  /** Declarations; every name below one is resolved against them. */
  namespaces: number
  /** A comment splits a text node, and parsers differ in how they read it: none by default. */
  comments: number
  /** CDATA sections; each becomes a node. */
  sections: number
  /** `&lt;` and `&#60;`: each interrupts the parser. */
  references: number
}

const refuse = (reason: string, message: string) => invalid(reason, `The XML document ${message}`)

type Counted = keyof XmlBounds

const EXCEEDED: Record<Counted, (limit: number) => AppError> = {
  depth: (limit) => refuse('xml_too_deep', `is nested deeper than ${limit} elements`),
  elements: (limit) => refuse('xml_too_many_elements', `has more than ${limit} elements`),
  attributes: (limit) => refuse('xml_too_many_attributes', `has more than ${limit} attributes`),
  elementAttributes: (limit) =>
    refuse('xml_too_many_attributes', `has an element with more than ${limit} attributes`),
  namespaces: (limit) =>
    refuse('xml_too_many_namespaces', `has more than ${limit} namespace declarations`),
  comments: (limit) =>
    limit === 0
      ? refuse('xml_comment', 'has a comment')
      : refuse('xml_too_many_comments', `has more than ${limit} comments`),
  sections: (limit) => refuse('xml_too_many_sections', `has more than ${limit} CDATA sections`),
  references: (limit) =>
    refuse('xml_too_many_references', `has more than ${limit} references such as &lt;`),
}

// XML white space is only these four; \s matches characters that are allowed in names.
const NAME = /[^ \t\r\n/>=<"']+/y
const ATTRIBUTE = /[ \t\r\n]+([^ \t\r\n/>=<"']+)[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*')/y
const TAG_END = /[ \t\r\n]*(\/?)>/y

export function scanXml(text: string, bounds: XmlBounds): void {
  const counts: Record<Counted, number> = {
    depth: 0,
    elements: 0,
    attributes: 0,
    elementAttributes: 0,
    namespaces: 0,
    comments: 0,
    sections: 0,
    references: 0,
  }
  let at = 0

  const count = (what: Counted) => {
    if (++counts[what] > bounds[what]) throw EXCEEDED[what](bounds[what])
  }
  const malformed = () =>
    invalid('xml_malformed', `Not a well-formed XML document at character ${at + 1}`)
  const skipPast = (end: string) => {
    const found = text.indexOf(end, at)
    if (found < 0) throw malformed()
    at = found + end.length
  }
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }

  function startTag(): void {
    count('elements')
    count('depth')
    counts.elementAttributes = 0
    if (!take(NAME)) throw malformed()
    for (let attribute = take(ATTRIBUTE); attribute; attribute = take(ATTRIBUTE)) {
      const name = attribute[1]!
      if (name === 'xmlns' || name.startsWith('xmlns:')) count('namespaces')
      count('elementAttributes')
      count('attributes')
    }
    const end = take(TAG_END)
    if (!end) throw malformed()
    if (end[1] === '/') counts.depth--
  }

  for (let found = text.indexOf('&'); found >= 0; found = text.indexOf('&', found + 1))
    count('references')
  // The XML declaration is not a processing instruction.
  if (/^<\?xml[ \t\r\n]/.test(text)) skipPast('?>')
  for (at = text.indexOf('<', at); at >= 0; at = text.indexOf('<', at)) {
    const second = text[at + 1]
    if (second === '?') throw refuse('xml_instruction', 'has a processing instruction')
    if (second === '/') {
      counts.depth--
      skipPast('>')
    } else if (second !== '!') {
      at += 1
      startTag()
    } else if (text.startsWith('--', at + 2)) {
      count('comments')
      at += 4
      skipPast('-->')
    } else if (text.startsWith('[CDATA[', at + 2)) {
      count('sections')
      skipPast(']]>')
    } else throw refuse('xml_doctype', 'has a document type declaration')
  }
}
