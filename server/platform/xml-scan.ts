import { type AppError, invalid } from './errors.ts'

// A scan over the text of an XML document, before anybody makes a tree of it. What costs more than its own length to
// work on is refused here; the scan itself never goes back, whatever the document holds.

export interface XmlBounds {
  /** Elements within elements. */
  depth: number
  elements: number
  /** Of the whole document, and of one element. */
  attributes: number
  elementAttributes: number
  /** Declarations, of which each name below has to look through those above it. */
  namespaces: number
  /** A comment splits a text in two, and readers differ about what it then says: none, unless somebody allows for them. */
  comments: number
  /** CDATA, of which each is a node of its own. */
  sections: number
  /** `&lt;` and `&#60;`: each of them interrupts the parser. */
  references: number
}

const refuse = (reason: string, message: string) => invalid(reason, `The XML document ${message}`)

type Counted = keyof XmlBounds

const EXCEEDED: Record<Counted, (most: number) => AppError> = {
  depth: (most) => refuse('xml_too_deep', `is nested deeper than ${most} elements`),
  elements: (most) => refuse('xml_too_many_elements', `has more than ${most} elements`),
  attributes: (most) => refuse('xml_too_many_attributes', `has more than ${most} attributes`),
  elementAttributes: (most) =>
    refuse('xml_too_many_attributes', `has an element with more than ${most} attributes`),
  namespaces: (most) =>
    refuse('xml_too_many_namespaces', `has more than ${most} declarations of namespaces`),
  comments: (most) =>
    most === 0
      ? refuse('xml_comment', 'has a comment')
      : refuse('xml_too_many_comments', `has more than ${most} comments`),
  sections: (most) => refuse('xml_too_many_sections', `has more than ${most} CDATA sections`),
  references: (most) =>
    refuse('xml_too_many_references', `has more than ${most} references such as &lt;`),
}

// Only these four are white space to XML; \s knows characters that may stand in names.
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
    invalid('xml_malformed', `Not a well-formed XML document: see character ${at + 1}`)
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
  // An XML declaration, which is no instruction.
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
