import type { Element, Node } from './messages/xml-writer.ts'

/** More than any honest request has. */
const MAX_CHARACTERS = 8192

/** A message of others as it can be stored: it may be anything. */
export const receivedText = (xml: Buffer): string =>
  xml
    .subarray(0, MAX_CHARACTERS * 4)
    .toString('utf8')
    .slice(0, MAX_CHARACTERS)
    .toWellFormed()
    .replaceAll('\0', '')

const mask = (node: Node): Node => (typeof node === 'string' ? `[${node.length} characters]` : node)

/** The message without what is said about the person beside the name: that is for the service provider. */
export function redacted(root: Element): Element {
  if (root.name === 'saml:AttributeValue') return { ...root, children: root.children.map(mask) }
  return {
    ...root,
    children: root.children.map((child) =>
      typeof child === 'string' || 'written' in child ? child : redacted(child),
    ),
  }
}
