import { ParseOption, XmlDocument, XmlElement } from 'libxml2-wasm'
import { type AppError, invalid, messageOf } from './errors.ts'
import { scanXml, type XmlBounds } from './xml-scan.ts'

// Untrusted XML: parsed strictly and within limits, and its memory freed.

export type { XmlElement } from 'libxml2-wasm'
export { XmlC14NMode } from 'libxml2-wasm'

export interface XmlLimits extends Omit<XmlBounds, 'comments'> {
  bytes: number
  /** Defaults to none. */
  comments?: number
  /** Accepted namespaces. Elements of others are rejected, except inside an `Extensions` of one of these. */
  known?: readonly string[]
}

/** No external entities, no network, no recovery. */
const OPTIONS = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET

const utf8 = new TextDecoder('utf-8', { fatal: true })

const refuse = (reason: string, message: string, cause?: unknown): AppError =>
  invalid(reason, message, cause === undefined ? {} : { cause })

/**
 * UTF-8 only: in another encoding the scan and the parser would see different characters. The scan runs before parsing,
 * because the parser expands entities while it parses.
 */
function textOf(source: string | Uint8Array, bytes: number): string {
  if (Buffer.byteLength(source) > bytes)
    throw refuse('xml_too_large', `The XML document is larger than ${bytes} bytes`)
  let text: string
  try {
    text = typeof source === 'string' ? source.replace(/^\uFEFF/, '') : utf8.decode(source)
  } catch (cause) {
    throw refuse('xml_not_utf8', 'The XML document is not in UTF-8', cause)
  }
  if (/^<\?xml[^>]*encoding\s*=\s*["'](?!utf-?8["'])/i.test(text))
    throw refuse('xml_not_utf8', 'The XML document is not in UTF-8')
  return text
}

function parse(text: string): XmlDocument {
  try {
    // As a buffer: a string would be copied one character at a time.
    return XmlDocument.fromBuffer(Buffer.from(text), { option: OPTIONS, encoding: 'utf-8' })
  } catch (cause) {
    throw refuse(
      'xml_malformed',
      `Not a well-formed XML document: ${messageOf(cause).trim()}`,
      cause,
    )
  }
}

/** All descendants in document order, skipping the children of those that `enter` rejects. */
export function* elementsBelow(
  parent: XmlElement,
  enter: (element: XmlElement) => boolean = () => true,
): Generator<XmlElement> {
  for (let node = parent.firstChild; node; node = node.next) {
    if (!(node instanceof XmlElement)) continue
    yield node
    if (enter(node)) yield* elementsBelow(node, enter)
  }
}

function checkNamespaces(root: XmlElement, namespaces: readonly string[]): void {
  const known = (element: XmlElement) => namespaces.includes(element.namespaceUri)
  const open = (element: XmlElement) => element.name !== 'Extensions'
  const refuseStranger = (element: XmlElement) => {
    if (!known(element))
      throw refuse('xml_namespace', `The XML document has an unexpected element <${element.name}>`)
  }
  refuseStranger(root)
  if (open(root)) for (const element of elementsBelow(root, open)) refuseStranger(element)
}

/**
 * Calls `read` with the document and frees it afterwards: return values, not nodes. Its memory belongs to WebAssembly
 * and is not garbage-collected.
 */
export function readXml<T>(
  source: string | Uint8Array,
  limits: XmlLimits,
  read: (root: XmlElement) => T,
): T {
  const text = textOf(source, limits.bytes)
  scanXml(text, { comments: 0, ...limits })
  const document = parse(text)
  try {
    if (document.dtd)
      throw refuse('xml_doctype', 'The XML document has a document type declaration')
    if (limits.known) checkNamespaces(document.root, limits.known)
    return read(document.root)
  } finally {
    document.dispose()
  }
}

/** Direct children of one name, in document order. */
export function childElements(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  const found: XmlElement[] = []
  for (let node = parent.firstChild; node; node = node.next)
    if (node instanceof XmlElement && node.name === name && node.namespaceUri === namespace)
      found.push(node)
  return found
}

/** Direct children in a namespace, grouped by name in one pass. */
export function childrenByName(
  parent: XmlElement,
  namespace: string,
): (name: string) => XmlElement[] {
  const found = new Map<string, XmlElement[]>()
  for (let node = parent.firstChild; node; node = node.next) {
    if (!(node instanceof XmlElement) || node.namespaceUri !== namespace) continue
    const { name } = node
    const others = found.get(name)
    if (others) others.push(node)
    else found.set(name, [node])
  }
  return (name) => found.get(name) ?? []
}

/** The value of an attribute that has no namespace. */
export const attribute = (element: XmlElement, name: string): string | undefined =>
  element.attr(name)?.value
