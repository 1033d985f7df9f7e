import { ParseOption, XmlDocument, XmlElement, XmlXPath } from 'libxml2-wasm'
import { type AppError, invalid, messageOf } from './errors.ts'

// XML that others sent: parsed strictly and within limits, and its memory given back.

export type { XmlElement } from 'libxml2-wasm'
export { XmlC14NMode } from 'libxml2-wasm'

export interface XmlLimits {
  maxBytes: number
  /** Elements within elements. */
  maxDepth?: number
  maxElements?: number
  /**
   * A comment splits a text in two, and readers differ about what it then says. What is signed or decides about people
   * refuses them; what an administrator hands in may have them.
   */
  comments?: 'refuse' | 'allow'
  /** Elements of other namespaces are refused, unless they stand within an `Extensions` of one of these. */
  namespaces?: readonly string[]
}

const MAX_DEPTH = 32
const MAX_ELEMENTS = 10_000

/** Nothing is loaded, nothing substituted, nothing repaired. */
const OPTIONS = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET

const instructions = XmlXPath.compile('//processing-instruction()')
const comments = XmlXPath.compile('//comment()')
const elementCount = XmlXPath.compile('count(//*)')
const utf8 = new TextDecoder('utf-8', { fatal: true })

const refuse = (reason: string, message: string, cause?: unknown): AppError =>
  invalid(`xml_${reason}`, message, cause === undefined ? {} : { cause })

/**
 * As UTF-8 only: in another encoding the search for a document type would look at other characters than the parser.
 * It comes before parsing, because a parser that sees entities has to expand them.
 */
function textOf(source: string | Uint8Array, maxBytes: number): string {
  if (Buffer.byteLength(source) > maxBytes)
    throw refuse('too_large', `The XML document is larger than ${maxBytes} bytes`)
  let text: string
  try {
    text = typeof source === 'string' ? source.replace(/^\uFEFF/, '') : utf8.decode(source)
  } catch (cause) {
    throw refuse('not_utf8', 'The XML document is not in UTF-8', cause)
  }
  if (/^<\?xml[^>]*encoding\s*=\s*["'](?!utf-?8["'])/i.test(text))
    throw refuse('not_utf8', 'The XML document is not in UTF-8')
  if (/<!(DOCTYPE|ENTITY)/i.test(text))
    throw refuse('doctype', 'The XML document has a document type declaration')
  return text
}

function parse(text: string): XmlDocument {
  try {
    return XmlDocument.fromString(text, { option: OPTIONS })
  } catch (cause) {
    throw refuse('malformed', `Not a well-formed XML document: ${messageOf(cause).trim()}`, cause)
  }
}

const quoted = (uri: string) => `namespace-uri()='${uri.replaceAll("'", '')}'`

function check(document: XmlDocument, limits: XmlLimits): void {
  const { maxDepth = MAX_DEPTH, maxElements = MAX_ELEMENTS, namespaces } = limits
  if (document.dtd) throw refuse('doctype', 'The XML document has a document type declaration')
  if (document.get(instructions))
    throw refuse('instruction', 'The XML document has a processing instruction')
  if (limits.comments !== 'allow' && document.get(comments))
    throw refuse('comment', 'The XML document has a comment')
  if (Number(document.eval(elementCount)) > maxElements)
    throw refuse('too_many_elements', `The XML document has more than ${maxElements} elements`)
  if (document.get(`/*${'/*'.repeat(maxDepth)}`))
    throw refuse('too_deep', `The XML document is nested deeper than ${maxDepth} elements`)
  if (!namespaces) return
  const known = namespaces.map(quoted).join(' or ')
  const stranger = document.get(
    `//*[not(${known})][not(ancestor::*[local-name()='Extensions'][${known}])]`,
  )
  if (stranger instanceof XmlElement)
    throw refuse('namespace', `The XML document has an unexpected element <${stranger.name}>`)
}

/**
 * Lets `read` look at the document, which is gone afterwards: take values out, not nodes. Its memory is that of
 * WebAssembly, which nobody collects.
 */
export function readXml<T>(
  source: string | Uint8Array,
  limits: XmlLimits,
  read: (root: XmlElement) => T,
): T {
  const document = parse(textOf(source, limits.maxBytes))
  try {
    check(document, limits)
    return read(document.root)
  } finally {
    document.dispose()
  }
}

/** Direct children of one name, in the order of the document. */
export function childElements(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  const found: XmlElement[] = []
  for (let node = parent.firstChild; node; node = node.next)
    if (node instanceof XmlElement && node.name === name && node.namespaceUri === namespace)
      found.push(node)
  return found
}

/** The value of an attribute without a namespace. */
export const attribute = (element: XmlElement, name: string): string | undefined =>
  element.attr(name)?.value
