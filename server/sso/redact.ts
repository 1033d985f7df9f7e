import type { Element, Node } from './messages/xml-writer.ts'

/** More than any legitimate request has. */
const MAX_CHARACTERS = 8192

/** An untrusted message, truncated and cleaned so that it can be stored. */
export const receivedText = (xml: Buffer): string =>
  xml
    .subarray(0, MAX_CHARACTERS * 4)
    .toString('utf8')
    .slice(0, MAX_CHARACTERS)
    .toWellFormed()
    .replaceAll('\0', '')

const mask = (node: Node): Node => (typeof node === 'string' ? `[${node.length} characters]` : node)

/** The message without attribute values, which are for the service provider only. */
export function redacted(root: Element): Element {
  if (root.name === 'saml:AttributeValue') return { ...root, children: root.children.map(mask) }
  return {
    ...root,
    children: root.children.map((child) =>
      typeof child === 'string' || 'written' in child ? child : redacted(child),
    ),
  }
}
